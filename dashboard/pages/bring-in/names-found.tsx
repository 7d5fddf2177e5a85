import { useState } from 'preact/hooks'
import type { ImportReport } from '../../core/api.ts'
import { countOf, wholeText } from '../../core/number-texts.ts'
import { Button } from '../../ui/controls/button.tsx'

const SHOWN = 30
const FILES_SHOWN = 3
type Conversion = NonNullable<ImportReport['conversion']>

/**
 * Draws the participants and items that files name. A participant in several files is reported: these are sessions of
 * one person.
 */
export function NamesFound({ participants, items }: Pick<Conversion, 'participants' | 'items'>) {
  const twice = participants.filter(({ files }) => files.length > 1)
  return (
    <div class="names-found">
      <div>
        <h3>Participants</h3>
        <Names names={participants.map(({ name, files }) => ({ name, note: filesText(files) }))} one="participant" />
        {twice.length > 0 && (
          <p class="notice">
            {twice.length === 1 ? <bdi>{twice[0].name}</bdi> : countOf(twice.length, 'participant')}{' '}
            {twice.length === 1 ? 'appears in' : 'each appear in'}{' '}
            {twice.length === 1 ? countOf(twice[0].files.length, 'file') : 'several files'}. These files are read as
            sessions of one person. If they are different people, use different names in the files.
          </p>
        )}
      </div>
      <div>
        <h3>Items</h3>
        <Names names={items.map((name) => ({ name, note: '' }))} one="item" />
      </div>
    </div>
  )
}

function filesText(files: string[]): string {
  return `${files.slice(0, FILES_SHOWN).join(', ')}${files.length > FILES_SHOWN ? ` and ${wholeText(files.length - FILES_SHOWN)} more` : ''}`
}

function Names({ names, one }: { names: { name: string; note: string }[]; one: string }) {
  const [isAll, setIsAll] = useState(false)
  const shown = isAll ? names : names.slice(0, SHOWN)
  return (
    <>
      <ul class="names">
        {shown.map(({ name, note }, i) => (
          <li key={i}>
            <bdi>{name}</bdi> {note !== '' && <span class="hint">{note}</span>}
          </li>
        ))}
      </ul>
      {names.length > SHOWN && !isAll && (
        <Button class="small" onClick={() => setIsAll(true)}>
          Show all {countOf(names.length, one)}
        </Button>
      )}
    </>
  )
}
