import { useState } from 'preact/hooks'
import { countOf, wholeText } from '../../../core/number-texts.ts'
import { faultOf } from '../../../core/view/chart-view.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Check } from '../../../ui/controls/choice.tsx'
import { Field, TextInput } from '../../../ui/controls/field.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { selectedPart } from '../draft/draft.ts'
import { addAois, aoisOfBoxes, type EditorParts } from '../draft/edits.ts'
import { type Grid, gridOf } from '../shapes/grid.ts'
import { type Box, boxOf, cornersOf, rectangleArea } from '../shapes/parts.ts'

const FIELDS: [keyof Grid, label: string, least: number, most: number, unit: string][] = [
  ['rows', 'Rows', 1, 100, ''],
  ['columns', 'Columns', 1, 100, ''],
  ['gapPercent', 'Gap between cells', 0, 50, '%'],
]
const WHOLE_ITEM: Box = { left: 0, top: 0, right: 1, bottom: 1 }

type Typed = Record<keyof Grid, string>
type GridDialogProps = Omit<EditorParts, 'dispatch'> & { onClose: () => void }

/** Makes a grid of AOIs over the item, or over the selected part. */
export function GridDialog({ draft, item, apply, onClose }: GridDialogProps) {
  const [given, setGiven] = useState<Typed>({ rows: '3', columns: '3', gapPercent: '0' })
  const [stem, setStem] = useState('Cell ')
  const part = selectedPart(draft)
  const [isOverPart, setIsOverPart] = useState(part !== null)
  const { grid, faults } = readGrid(given)
  const make = () => {
    const box = isOverPart && part !== null ? boxOf(cornersOf(part.areaPoints, item)) : WHOLE_ITEM
    const made = aoisOfBoxes(gridOf(box, grid), grid.columns, stem, item.id, (cell) => rectangleArea(cell, item))
    apply(addAois(draft, made, `${countOf(made.length, 'AOI')} added`))
    onClose()
  }
  return (
    <Dialog title="A grid of AOIs" onClose={onClose}>
      <div class="number-fields">
        {FIELDS.map(([name, label, min, max, unit]) => (
          <Field
            key={name}
            class="number-field"
            label={
              <>
                {label} {unit !== '' && <small>{unit}</small>}
              </>
            }
          >
            <input
              type="number"
              min={min}
              max={max}
              value={given[name]}
              onInput={({ currentTarget: { value } }) => setGiven({ ...given, [name]: value })}
            />
          </Field>
        ))}
        <Field class="number-field" label="Names begin with">
          <TextInput value={stem} onText={setStem} />
        </Field>
      </div>
      {part !== null && (
        <Check isOn={isOverPart} onChange={() => setIsOverPart(!isOverPart)}>
          Cover only the selected part
        </Check>
      )}
      {faults.map((fault) => (
        <p key={fault} class="refused" role="alert">
          {fault}
        </p>
      ))}
      <p class="row">
        <Button class="primary" disabled={faults.length > 0} onClick={make}>
          {faults.length > 0 ? 'Add' : `Add ${wholeText(grid.rows * grid.columns)} AOIs`}
        </Button>
        <span class="hint">They are named by row and column, such as “{stem}1.2”.</span>
      </p>
    </Dialog>
  )
}

/** Reads the typed numbers of a grid; it may be used only without faults. */
function readGrid(given: Typed): { grid: Grid; faults: string[] } {
  const grid = { rows: Number(given.rows), columns: Number(given.columns), gapPercent: Number(given.gapPercent) }
  const faults = FIELDS.flatMap(([name, label, min, max, unit]) => {
    const fault = faultOf({ min, max, unit, kind: name === 'gapPercent' ? 'float' : 'int' }, given[name])
    return fault === null ? [] : [`${label} ${fault}, not “${given[name]}”.`]
  })
  const hasRoom = (n: number) => (grid.gapPercent / 100) * (n - 1) < 1
  const isFull = faults.length === 0 && !(hasRoom(grid.rows) && hasRoom(grid.columns))
  return { grid, faults: isFull ? ['The gaps leave no room for cells.'] : faults }
}
