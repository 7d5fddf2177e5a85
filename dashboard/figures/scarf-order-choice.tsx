import { useState } from 'preact/hooks'
import type { Aoi, FixationsData } from '../core/api.ts'
import { isolate } from '../core/number-texts.ts'
import { isOfAoi, orderText, readScarf, type ScarfView, scarfText, zeroText } from '../core/view/scarf-view.ts'
import { Choice, type ChoiceOption } from '../ui/controls/choice.tsx'
import type { RowGroups } from './scarf-order.ts'

type ScarfOrderChoiceProps = {
  scarf: ScarfView
  aois: Aoi[]
  tests: FixationsData['tests']
  /** Attributes that make groups; null until they are known. */
  splits: RowGroups[] | null
  onChange: (scarf: ScarfView) => void
  /** Address of a report with this plot on its board; null or undefined to offer none. */
  boardHref?: string | null
}

/** Draws the choice of a scarf plot's order and alignment. */
export function ScarfOrderChoice({ scarf, aois, tests, splits, onChange, boardHref = null }: ScarfOrderChoiceProps) {
  const { order, zero, aoi } = scarf
  // Decided once, so that nothing folds while it is changed.
  const [isChanged] = useState(() => scarfText(scarf) !== '')
  const hasAois = aois.length > 0 || isOfAoi(scarf)
  const events = new Set(tests.flatMap(({ events = [] }) => events.map(([, name]) => name)))
  const labels = new Set(splits?.map(({ label }) => label))
  // A link may name what is not, or no longer, here: it is chosen all the same.
  if (typeof order === 'object') labels.add(order.group)
  if (typeof zero === 'object') events.add(zero.event)
  const orders: ChoiceOption[] = [
    ['name', 'name'],
    ...[...labels].map((label): ChoiceOption => [`group:${label}`, `group: ${isolate(label)}`]),
    ...(hasAois
      ? ([
          ['first', 'first look at an AOI'],
          ['dwell', 'dwell time on an AOI'],
        ] as ChoiceOption[])
      : []),
  ]
  const zeros: ChoiceOption[] = [
    ['onset', 'item onset'],
    ...(hasAois ? ([['first', 'first look at an AOI']] as ChoiceOption[]) : []),
    ...[...events].map((name): ChoiceOption => [`event:${name}`, `event: ${isolate(name)}`]),
  ]
  return (
    <details class="advanced no-print" open={isChanged}>
      <summary>Order and alignment of rows</summary>
      <div class="row">
        <Choice
          isInline
          label="Rows by"
          value={orderText(scarf)}
          of={orders}
          onChange={(value) => onChange({ ...scarf, order: readOne('rows', value).order })}
        />
        {zeros.length > 1 && (
          <Choice
            isInline
            label="Time from"
            value={zeroText(scarf)}
            of={zeros}
            onChange={(value) => onChange({ ...scarf, zero: readOne('zero', value).zero })}
          />
        )}
        {isOfAoi(scarf) && (
          <Choice
            isInline
            label="AOI"
            value={String(aoi + 1)}
            of={aoiOptions(aois, aoi)}
            onChange={(value) => onChange({ ...scarf, aoi: Number(value) - 1 })}
          />
        )}
        {boardHref !== null && <a href={boardHref}>Put this plot in a report</a>}
      </div>
    </details>
  )
}

/** Reads one choice, as an address has it. */
function readOne(name: 'rows' | 'zero', value: string): ScarfView {
  return readScarf(new URLSearchParams({ [name]: value }), null).scarf
}

function aoiOptions(aois: Aoi[], chosen: number): ChoiceOption[] {
  const own = aois.map(({ name }, a): ChoiceOption => [String(a + 1), `${a + 1} ${isolate(name)}`])
  return chosen < aois.length ? own : [...own, [String(chosen + 1), `${chosen + 1}, not on this item`]]
}
