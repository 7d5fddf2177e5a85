import './manage.css'
import { useState } from 'preact/hooks'
import { forgetAll, type Problem, request, type Study, type StudyHistory, sendJson } from '../../core/api.ts'
import { countOf, dateTime, isolate } from '../../core/number-texts.ts'
import { usePeople } from '../../core/people/people.ts'
import { navigate } from '../../core/router.ts'
import { useChange } from '../../core/use-change.ts'
import { useData } from '../../core/use-data.ts'
import { picturesChanged } from '../../figures/item-picture.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { Await, Empty, Trouble } from '../../ui/waiting/states.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { ItemsDialog } from './items-dialog.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'

/** Open dialog. */
type Open = 'rename' | 'items' | 'participant' | 'delete' | null

/** Lists the changes of a study, undoes the newest, and corrects names, items and participants. */
export function ManageStudy({ study, onChanged }: { study: Study; onChanged: () => void }) {
  const [open, setOpen] = useState<Open>(null)
  const changed = () => {
    forgetAll()
    picturesChanged()
    setOpen(null)
    onChanged()
  }
  const close = () => setOpen(null)
  return (
    <Panel
      title="Corrections and history"
      id="manage"
      class="manage"
      side={
        <div class="row">
          <Button onClick={() => setOpen('rename')}>Name and project</Button>
          <Archive study={study} onChanged={changed} />
          {study.items.length > 0 && <Button onClick={() => setOpen('items')}>Rename, order or remove items</Button>}
          {study.participantCount > 0 && <Button onClick={() => setOpen('participant')}>Remove a participant</Button>}
          <a class="button" href={`/bring-in?study=${study.id}&replace=yes`}>
            Replace the data
          </a>
          <Button class="danger" onClick={() => setOpen('delete')}>
            Delete the study
          </Button>
        </div>
      }
    >
      <History key={study.snapshot} study={study} onUndone={changed} />
      {open === 'rename' && <RenameDialog study={study} onChanged={changed} onClose={close} />}
      {open === 'items' && <ItemsDialog study={study} onChanged={changed} onClose={close} />}
      {open === 'participant' && <RemoveDialog study={study} onChanged={changed} onClose={close} />}
      {open === 'delete' && (
        <DeleteDialog
          study={study}
          onDeleted={() => {
            forgetAll()
            navigate('/')
          }}
          onClose={close}
        />
      )}
    </Panel>
  )
}

/** Archives a study, which hides it from lists, or restores it. */
function Archive({ study, onChanged }: { study: Study; onChanged: () => void }) {
  const { problem, isBusy, act } = useChange(onChanged)
  const headers = { 'If-Match': `"${study.snapshot}"` }
  const body = { isArchived: !study.isArchived }
  return (
    <>
      <Button
        disabled={isBusy}
        onClick={() => act(() => sendJson(`/api2/studies/${study.id}`, 'PATCH', body, headers))}
      >
        {study.isArchived ? 'Restore from the archive' : 'Archive the study'}
      </Button>
      {problem !== null && <Trouble problem={problem} />}
    </>
  )
}

const DID: Record<string, string> = {
  'study created': 'Study created',
  'study changed': 'Study changed',
  'picture changed': 'Picture of an item changed',
  'participant added': 'Participant added',
  'participant changed': 'Details of a participant changed',
  'participant removed': 'Participant removed',
  'bundle imported': 'Data imported',
  'change undone': 'Change undone',
}

/** Says what a change did: the differences that it made, or its kind. @param names of participants, by id */
function wordsOf({ did, details, ...of }: StudyHistory['entries'][number], names: Map<string, string>): string {
  const { participantId, testCount } = of
  const who = participantId === undefined ? '' : ` (${isolate(names.get(participantId) ?? participantId)})`
  const tests = testCount === undefined ? '' : `, with ${countOf(testCount, 'test')}`
  const kind = `${DID[did] ?? did}${who}${tests}`
  if (details === undefined) return kind
  const told = details.join('; ')
  const isWhole = did === 'study changed' || did === 'picture changed'
  return isWhole ? told[0].toUpperCase() + told.slice(1) : `${kind}: ${told}`
}

const SHOWN = 20

const CHANGED_SINCE = {
  title: 'The study has changed in the meantime',
  detail: 'Nothing was undone. Reload the page to see the change.',
}
const TOO_LATE = {
  title: 'The last change can no longer be undone',
  detail:
    'A change can be undone within a day, until participants are added or removed. Reload the page to see the history as it is now.',
}

/** Puts a refused undo in words: what could be undone when the page was loaded no longer can. */
function undoProblem(problem: Problem): Problem {
  const words = problem.status === 409 ? TOO_LATE : problem.status === 412 ? CHANGED_SINCE : null
  return words === null ? problem : { ...problem, ...words, type: null, status: 409, isOutdated: true }
}

function History({ study, onUndone }: { study: Study; onUndone: () => void }) {
  const { names } = usePeople(study.id)
  const history = useData<StudyHistory>(`/api2/studies/${study.id}/history?limit=${SHOWN}`)
  const { problem, isBusy, act } = useChange(onUndone)
  const headers = { 'If-Match': `"${study.snapshot}"` }
  const undo = () => act(() => request(`/api2/studies/${study.id}/undo`, { method: 'POST', headers }))
  return (
    <Await loaded={history} what="the history">
      {({ entries, undoable }) => (
        <>
          {undoable !== null && problem?.status !== 409 && problem?.status !== 412 && (
            <p class="row">
              <Button disabled={isBusy} onClick={undo}>
                Undo the last change
              </Button>
              <span class="hint">
                {DID[undoable.did] ?? undoable.did}, {dateTime(undoable.at)}. You can undo it until{' '}
                {dateTime(undoable.until)}.
              </span>
            </p>
          )}
          {problem !== null && <Trouble problem={undoProblem(problem)} />}
          {entries.length === 0 ? (
            <Empty title="No changes yet, except by commands" />
          ) : (
            <details>
              <summary>
                History: {wordsOf(entries[0], names)}, {dateTime(entries[0].at)}
              </summary>
              <ul class="history-list">
                {entries.map((entry, i) => (
                  <li key={i}>
                    {dateTime(entry.at)}: <bdi>{wordsOf(entry, names)}</bdi>{' '}
                    <span class="hint">
                      by <bdi>{entry.tokenName || `access ${entry.tokenId}`}</bdi>
                    </span>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </Await>
  )
}
