import type { Measure } from '../../../isomorphic/measures.ts'
import type { Aoi } from '../../core/api.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { measuresOf } from '../../core/view/words-of.ts'
import { Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import { nameOfMeasure } from './measure-texts.ts'

/** Returns the measure that the address chooses, of those that the AOIs have. */
export function useMeasure(aois: Aoi[]): Measure {
  const { query } = usePlace()
  const measures = measuresOf(aois)
  return measures.find(({ column }) => column === query.get('measure')) ?? measures[0]
}

/** Draws the choice of the measure, which the address keeps. */
export function MeasureChoice({ aois, measure }: { aois: Aoi[]; measure: Measure }) {
  return (
    <Choice
      isInline
      label="Measure"
      help={<Explain of={measure.column} name={measure.label} />}
      value={measure.column}
      of={measuresOf(aois).map((each): ChoiceOption => [each.column, nameOfMeasure(each)])}
      onChange={(value) => setQuery({ measure: value })}
    />
  )
}
