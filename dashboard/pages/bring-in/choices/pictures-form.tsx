import type { ImportReport } from '../../../core/api.ts'
import { countOf, isolate } from '../../../core/number-texts.ts'
import { ColumnNames } from '../../../ui/column-names.tsx'
import { type ChoiceOption, Select } from '../../../ui/controls/choice.tsx'
import { Scrolling } from '../../../ui/scrolling.tsx'
import type { Choices } from './choices.ts'

type Pictures = NonNullable<NonNullable<ImportReport['conversion']>['pictures']>

type PicturesFormProps = { pictures: Pictures; choices: Choices; onChange: (changes: Partial<Choices>) => void }

/** Draws the picture matched to each item, for correction. */
export function PicturesForm({ pictures: { files, items }, choices, onChange }: PicturesFormProps) {
  const itemOf = (file: string) => {
    const chosen = choices.pictures[file]
    return chosen === undefined ? (items.find(({ picture }) => picture === file)?.name ?? '') : (chosen ?? '')
  }
  const without = items.filter(({ name }) => !files.some((file) => itemOf(file) === name))
  return (
    <div class="pictures-found">
      <h3>Pictures</h3>
      <p class="hint">
        Pictures are matched to items by name.{' '}
        {without.length > 0 && `${countOf(without.length, 'item')} ${without.length === 1 ? 'has' : 'have'} none.`}
      </p>
      <Scrolling class="table-scroll tall" label="Pictures and their items">
        <table>
          <ColumnNames of={['Picture', 'Item']} />
          <tbody>
            {files.map((file) => (
              <tr key={file}>
                <td>
                  <bdi>{file}</bdi>
                </td>
                <td>
                  <Select
                    aria-label={`Item of ${isolate(file)}`}
                    value={itemOf(file)}
                    of={[['', '– none'], ...items.map(({ name }): ChoiceOption => [name, isolate(name)])]}
                    onChange={(value) => onChange({ pictures: { ...choices.pictures, [file]: value || null } })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </div>
  )
}
