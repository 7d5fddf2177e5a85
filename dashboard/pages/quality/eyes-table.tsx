import type { QualityData } from '../../core/api.ts'
import { type EyeMeasure, nameOfEyeMeasure } from './eye-measures.ts'
import { MeasuresTable } from './measures-table.tsx'

/** Draws the measures of each eye over all tests; draws nothing if no eye was recorded. */
export function EyesTable({ measures, eyes }: { measures: QualityData['measures']; eyes: EyeMeasure[] }) {
  if (eyes.length === 0) return null
  const rows = eyes.map((eye) => ({ name: nameOfEyeMeasure(eye), place: eye.place }))
  return (
    <section aria-labelledby="quality-eyes">
      <h2 id="quality-eyes">Eyes and pupils</h2>
      <MeasuresTable label="Quality of each eye, over tests" {...{ measures, rows }} />
      <p class="hint">
        Over the same tests, by the columns of quality-stats. Each eye is measured by its own samples, whichever eye the
        settings choose.
      </p>
    </section>
  )
}
