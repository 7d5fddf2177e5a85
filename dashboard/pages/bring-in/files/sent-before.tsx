import { useState } from 'preact/hooks'
import type { UploadList } from '../../../core/api.ts'
import { dateTime, bytes as sizeText } from '../../../core/number-texts.ts'
import { useChange } from '../../../core/use-change.ts'
import { useData } from '../../../core/use-data.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Trouble } from '../../../ui/waiting/states.tsx'
import { deleteUpload } from './send.ts'
import type { SentFile } from './use-sending.ts'

/** Lists earlier uploads: complete ones can be used again, also after an import; incomplete ones can be resumed. */
export function SentBefore({ onTake }: { onTake: (files: SentFile[], notes: string[]) => void }) {
  const [turn, setTurn] = useState(0)
  const { problem, act } = useChange()
  // A new key bypasses the cache, since uploads change the list.
  const { data } = useData<UploadList>('/api2/uploads', 5000, String(turn))
  const uploads = data?.uploads ?? []
  if (uploads.length === 0) return null
  const remove = async (id: string) => {
    await act(() => deleteUpload(id))
    setTurn(turn + 1)
  }
  return (
    <div class="sent-before">
      <h3>Sent before</h3>
      <ul>
        {uploads.map(({ id, name, bytes, receivedBytes, isImported, expiresAt }) => {
          const isWhole = receivedBytes === bytes
          return (
            <li key={id} class="row">
              <bdi>{name}</bdi>
              <span class="hint">
                {isWhole
                  ? `${sizeText(bytes)}, ${isImported ? 'imported, ' : ''}kept until ${dateTime(expiresAt)}`
                  : `${sizeText(receivedBytes)} of ${sizeText(bytes)}: choose the same files again to resume`}
              </span>
              {isWhole && (
                <Button class="small" onClick={() => onTake([{ id, name, bytes }], [])}>
                  Check
                </Button>
              )}
              <Button class="small" aria-label={`Delete ${name}`} onClick={() => remove(id)}>
                Delete
              </Button>
            </li>
          )
        })}
      </ul>
      {problem !== null && <Trouble problem={problem} />}
    </div>
  )
}
