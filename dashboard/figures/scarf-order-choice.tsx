import { useState } from 'preact/hooks'
import type { Aoi, FixationsData } from '../core/api.ts'
import { isolate } from '../core/number-texts.ts'
import { setQuery } from '../core/router.ts'
import { type ScarfView, scarfQuery } from '../core/view/scarf-view.ts'
import { Choice, type Option } from '../ui/controls/choice.tsx'
import type { RowGroups } from './scarf-order.ts'

type ScarfOrderChoiceProps = {
  scarf: ScarfView
  aois: Aoi[]
  tests: FixationsData['tests']
  /** Attributes that make groups; null until they are known. */
  splits: RowGroups[] | null
}

/** Draws the choice of a scarf plot's order and alignment, which the address keeps. */
export function ScarfOrderChoice({ scarf, aois, tests, splits }: ScarfOrderChoiceProps) {
  const { rows, zero } = scarfQuery(scarf)
  // Decided once, so that nothing folds while it is changed.
  const [isChanged] = useState(() => rows !== null || zero !== null)
  const hasAois = aois.length > 0
  const events = new Set(tests.flatMap(({ events = [] }) => events.map(([, name]) => name)))
  const labels = new Set(splits?.map(({ label }) => label))
  // A link may name what is not, or no longer, here: it is chosen all the same.
  if (typeof scarf.order === 'object') labels.add(scarf.order.group)
  if (typeof scarf.zero === 'object') events.add(scarf.zero.event)
  const orders: Option[] = [
    ['name', 'name'],
    ...[...labels].map((label): Option => [`group:${label}`, `group: ${isolate(label)}`]),
    ...(hasAois
      ? ([
          ['first', 'first look at an AOI'],
          ['dwell', 'dwell time on an AOI'],
        ] as Option[])
      : []),
  ]
  const zeros: Option[] = [
    ['onset', 'item onset'],
    ...(hasAois ? ([['first', 'first look at an AOI']] as Option[]) : []),
    ...[...events].map((name): Option => [`event:${name}`, `event: ${isolate(name)}`]),
  ]
  const isOfAoi = scarf.order === 'first' || scarf.order === 'dwell' || scarf.zero === 'first'
  return (
    <details class="advanced no-print" open={isChanged}>
      <summary>Order and alignment of rows</summary>
      <div class="row">
        <Choice
          isInline
          label="Rows by"
          value={rows ?? 'name'}
          of={orders}
          onChange={(value) => setQuery({ rows: value === 'name' ? null : value })}
        />
        {zeros.length > 1 && (
          <Choice
            isInline
            label="Time from"
            value={zero ?? 'onset'}
            of={zeros}
            onChange={(value) => setQuery({ zero: value === 'onset' ? null : value })}
          />
        )}
        {isOfAoi && (
          <Choice
            isInline
            label="AOI"
            value={String(scarf.aoi + 1)}
            of={aois.map(({ name }, a): Option => [String(a + 1), `${a + 1} ${isolate(name)}`])}
            onChange={(value) => setQuery({ rowsAoi: value === '1' ? null : value })}
          />
        )}
      </div>
    </details>
  )
}
