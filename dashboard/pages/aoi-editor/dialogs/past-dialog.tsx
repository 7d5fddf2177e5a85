import { useState } from 'preact/hooks'
import { type Aoi, getJson, type Item, type PastAois, type Problem, problemFrom } from '../../../core/api.ts'
import { dateTime } from '../../../core/number-texts.ts'
import { useData } from '../../../core/use-data.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Await, Trouble } from '../../../ui/waiting/states.tsx'
import { nameAois, PreviewPanel } from './preview.tsx'

const SHOWN = 20

type PastDialogProps = { path: string; item: Item; aspect: number; onBring: (aois: Aoi[]) => void; onClose: () => void }

/** Shows earlier AOIs of the item, and restores them to the board. */
export function PastDialog({ path, item, aspect, onBring, onClose }: PastDialogProps) {
  // A new key bypasses the cache each time the dialog opens.
  const [opened] = useState(() => String(Date.now()))
  const first = useData<PastAois>(`${path}/history?limit=${SHOWN}`, 0, opened)
  const [older, setOlder] = useState<PastAois[]>([])
  const [problem, setProblem] = useState<Problem | null>(null)
  const more = (cursor: string) =>
    getJson<PastAois>(`${path}/history?limit=${SHOWN}&cursor=${encodeURIComponent(cursor)}`).then(
      (page) => setOlder([...older, page]),
      (error) => setProblem(problemFrom(error)),
    )
  return (
    <Dialog title="Earlier AOIs" onClose={onClose}>
      <p class="hint">“Restore” loads a set into the editor. Save the set to make it current.</p>
      <Await loaded={first} what="the history">
        {(page) => {
          const pages = [page, ...older]
          const entries = pages.flatMap((each) => each.entries)
          const cursor = pages[pages.length - 1].nextCursor
          return (
            <>
              {entries.length === 0 && <p>The AOIs of this item have not changed since the import.</p>}
              <ul class="past-sets">
                {entries.map(({ until, tokenId, aois }) => (
                  <li key={until}>
                    <PreviewPanel aois={aois} item={item} aspect={aspect} label={nameAois(aois)} />
                    <div>
                      <p>
                        Until <time datetime={until}>{dateTime(until)}</time>
                        <small> replaced by {tokenId === null ? 'an import' : `token ${tokenId}`}</small>
                      </p>
                      <p class="address">{nameAois(aois)}</p>
                      <Button class="small" onClick={() => onBring(aois)}>
                        Restore
                      </Button>
                    </div>
                  </li>
                ))}
              </ul>
              {problem !== null && <Trouble problem={problem} />}
              {cursor !== null && <Button onClick={() => more(cursor)}>Show older</Button>}
            </>
          )
        }}
      </Await>
    </Dialog>
  )
}
