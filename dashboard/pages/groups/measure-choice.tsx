import { MEASURES, type Measure } from '../../../isomorphic/measures.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { Choice, type Option } from '../../ui/controls/choice.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import { nameOfMeasure } from './measure-texts.ts'

/** Returns the measure that the address chooses. */
export function useMeasure(): Measure {
  const { query } = usePlace()
  return MEASURES.find(({ column }) => column === query.get('measure')) ?? MEASURES[0]
}

/** Draws the choice of the measure, which the address keeps. */
export function MeasureChoice({ measure }: { measure: Measure }) {
  return (
    <>
      <Choice
        isInline
        label="Measure"
        value={measure.column}
        of={MEASURES.map((each): Option => [each.column, nameOfMeasure(each)])}
        onChange={(value) => setQuery({ measure: value })}
      />
      <Explain of={measure.column} name={measure.label} />
    </>
  )
}
