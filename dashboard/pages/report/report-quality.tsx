import { useMemo } from 'preact/hooks'
import { withUnit } from '../../../isomorphic/measures.ts'
import type { QualityData } from '../../core/api.ts'
import { Figure } from '../../figures/figure.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { eyeMeasures } from '../quality/eye-measures.ts'
import { EyesTable } from '../quality/eyes-table.tsx'
import { MeasuresTable } from '../quality/measures-table.tsx'
import { qualityCaption, Strips } from '../quality/strips.tsx'
import { qualityMeasures, qualityNumbers, SHOWN_MEASURES, testsOf } from '../quality/thresholds.ts'

/** Draws the measures of the tests, and of each eye if eyes were recorded, as numbers and histograms. */
export function ReportQuality({ data, subject }: { data: QualityData; subject: string }) {
  const tests = useMemo(() => testsOf(data), [data])
  const eyes = useMemo(() => eyeMeasures(data.measures, SHOWN_MEASURES.length), [data])
  const { measures } = data
  if (tests.length === 0) return <Empty title="No tests remain" />
  return (
    <>
      <MeasuresTable
        label="Quality of the remaining tests"
        measures={measures}
        rows={ROWS.slice(0, qualityMeasures(measures).length)}
      />
      <Figure
        title="Measures of the tests"
        subject={subject}
        fileName="gazette-quality"
        narrowest={320}
        caption={qualityCaption(subject, data)}
        numbers={() => qualityNumbers(data)}
        madeOf={[tests]}
        draw={(colors, width) => <Strips {...{ tests, measures, width, colors }} thresholds={NO_THRESHOLDS} />}
      />
      <EyesTable {...{ measures, eyes }} />
    </>
  )
}

const NO_THRESHOLDS = SHOWN_MEASURES.map(() => null)
const ROWS = SHOWN_MEASURES.map((measure, place) => ({
  name: withUnit(measure),
  place,
  explained: { column: measure.column, label: measure.label },
}))
