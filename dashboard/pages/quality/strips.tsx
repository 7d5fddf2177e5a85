import type { QualityData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf, decimal, wholeText } from '../../core/number-texts.ts'
import type { Caption } from '../../figures/caption.ts'
import { ofWhom, sourceOf } from '../../figures/captions.ts'
import { Drawing, useInks } from '../../ui/chart/drawing.tsx'
import { Plot, useFrame } from '../../ui/chart/plot.tsx'
import { GRADE_PLACE, type QualityTest, qualityMeasures, SHOWN_MEASURES, type Thresholds } from './thresholds.ts'

const BINS = 40
const GRADES_MAX = 6
const PANEL_PX = 118
const BARS_PX = 46
const TOP_PX = 22
/** Below this width, the numbers of a measure stand below its name. */
const ONE_LINE_PX = 420
const LINE_PX = 16

type StripsProps = {
  tests: QualityTest[]
  measures: QualityData['measures']
  thresholds: Thresholds
  width: number
  colors: Colors
}

/** Draws a histogram of the tests for each measure; the threshold is a line, and values beyond it are hatched. */
export function Strips({ tests, measures, thresholds, width, colors }: StripsProps) {
  const shown = qualityMeasures(measures)
  const panelPx = PANEL_PX + topOf(width) - TOP_PX
  const height = shown.length * panelPx
  return (
    <Drawing
      {...{ width, height, colors }}
      label={`Quality of ${countOf(tests.length, 'test')}: ${shown.map(({ label }) => label).join(', ')}`}
    >
      {shown.map((_, m) => (
        <g key={m} transform={`translate(0,${m * panelPx})`}>
          <Strip {...{ tests, m, width }} median={measures[m].median} limit={thresholds[m]} />
        </g>
      ))}
    </Drawing>
  )
}

type StripProps = {
  tests: QualityTest[]
  m: number
  median: number | null
  limit: number | null
  width: number
}

/** Returns where the bars of a measure begin, below its name and its numbers. */
function topOf(width: number): number {
  return width < ONE_LINE_PX ? TOP_PX + LINE_PX : TOP_PX
}

/** Draws the histogram of one measure. */
function Strip({ tests, m, median, limit, width }: StripProps) {
  const { label, unit } = SHOWN_MEASURES[m]
  const { ink, muted } = useInks()
  const isGrade = m === GRADE_PLACE
  const top = topOf(width)
  const { n: all, least, most, step, bars } = histogramOf(tests, m, limit)
  // The axis label names the base of its percentages.
  const [ofUnit] = unit.split(' ')
  const said =
    all === 0
      ? 'not measured in this study'
      : `median ${decimal(median)}${ofUnit === '' ? '' : ` ${ofUnit}`}, n = ${wholeText(all)}`
  return (
    <>
      <text y="14" font-size="12" fill={ink}>
        <tspan font-weight="600">{label}</tspan>
        <tspan fill={muted} {...(top > TOP_PX ? { x: 0, dy: LINE_PX } : {})}>
          {`  ${said}`}
        </tspan>
      </text>
      {all > 0 && (
        <Plot {...{ width, top }} plotPx={BARS_PX} x={{ of: [least, most], label: unit, isWhole: isGrade }}>
          <Bars bars={bars} step={step} limit={limit !== null && isGrade ? limit - 0.5 : limit} />
        </Plot>
      )}
    </>
  )
}

/** Draws bars of counts, and a line at the limit. */
function Bars({ bars, step, limit }: Pick<ReturnType<typeof histogramOf>, 'bars' | 'step'> & { limit: number | null }) {
  const { x, top, bottom } = useFrame()
  const { ink, accent, second } = useInks()
  const highest = Math.max(1, ...bars.map(({ n }) => n))
  return (
    <>
      {bars.map(({ n, from, isOut }) =>
        n === 0 ? null : (
          <rect
            key={from}
            x={x(from) + 0.5}
            y={bottom - BARS_PX * (n / highest)}
            width={Math.max(1, x(from + step) - x(from) - 1)}
            height={BARS_PX * (n / highest)}
            fill={isOut ? second : accent}
          />
        ),
      )}
      {limit !== null && (
        <line
          x1={x(limit)}
          x2={x(limit)}
          y1={top - 4}
          y2={bottom}
          stroke={ink}
          stroke-width="2"
          stroke-dasharray="4 3"
        />
      )}
    </>
  )
}

/** Counts the tests with a value of a measure in bins from `least` to `most`. A bin is out if the limit excludes it. */
function histogramOf(tests: QualityTest[], m: number, limit: number | null) {
  const { isLess } = SHOWN_MEASURES[m]
  const values = tests.map((test) => test.values[m]).filter((value) => !Number.isNaN(value))
  // The label of a grade is centred on its bar.
  const isGrade = m === GRADE_PLACE
  const [least, most] = isGrade
    ? [0.5, GRADES_MAX + 0.5]
    : [0, values.reduce((most, value) => Math.max(most, value), limit ?? 0) || 1]
  const bins = isGrade ? GRADES_MAX : BINS
  const step = (most - least) / bins
  const counts = new Array<number>(bins).fill(0)
  for (const value of values) counts[Math.max(0, Math.min(bins - 1, Math.floor((value - least) / step)))]++
  const isOut = (bin: number) => {
    if (limit === null) return false
    const [from, to] = [least + bin * step, least + (bin + 1) * step]
    return isGrade ? bin + 1 < limit : isLess ? from >= limit : to <= limit
  }
  const bars = counts.map((n, bin) => ({ n, from: least + bin * step, isOut: isOut(bin) }))
  return { n: values.length, least, most, step, bars }
}

/** Returns the caption of the histograms. @param besides further sentence, with a space before it */
export function qualityCaption(subject: string, data: QualityData, besides = ''): Caption {
  return {
    short: `Histograms of ${joinedNames(qualityMeasures(data.measures))}, each over its n tests, ${ofWhom(data)}`,
    reading: `Columns of quality-stats; precision is RMS-S2S, the median of windows of 200 ms.${besides}`,
    sources: [sourceOf(subject, data)],
  }
}

/** Joins the labels of measures to a list in a sentence. */
function joinedNames(measures: { label: string }[]): string {
  const names = measures.map(({ label }) => `${label[0].toLowerCase()}${label.slice(1).replace(/, (.*)$/, ' ($1)')}`)
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
