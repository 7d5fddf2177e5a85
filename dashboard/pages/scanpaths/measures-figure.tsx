import type { ScanpathsData } from '../../core/api.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf, slug, wholeText } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { NO_CAPTION, ofWhom, sourceOf } from '../../figures/captions.ts'
import { Figure } from '../../figures/figure.tsx'
import { Drawing, useInks } from '../../ui/chart/drawing.tsx'
import { belowPx, Plot, useFrame } from '../../ui/chart/plot.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import type { ScanpathFigureProps } from './pairs-figure.tsx'
import type { ComparedScanpath } from './similarities.ts'

type Measure = {
  of:
    | 'transitionEntropyBits'
    | 'stationaryEntropyBits'
    | 'recurrencePercents'
    | 'determinismPercents'
    | 'laminarityPercents'
    | 'recurrenceCenterPercents'
    | 'coefficientK'
  column: string
  name: string
  unit: string
}

/** Measures of a scanpath, as the export has them. */
const MEASURES: Measure[] = [
  { of: 'transitionEntropyBits', column: 'transition_entropy_bits', name: 'Transition entropy', unit: 'bits' },
  { of: 'stationaryEntropyBits', column: 'stationary_entropy_bits', name: 'Stationary entropy', unit: 'bits' },
  { of: 'recurrencePercents', column: 'recurrence_percents', name: 'Recurrence', unit: '% of pairs of fixations' },
  { of: 'determinismPercents', column: 'determinism_percents', name: 'Determinism', unit: '% of recurrences' },
  { of: 'laminarityPercents', column: 'laminarity_percents', name: 'Laminarity', unit: '% of recurrences' },
  {
    of: 'recurrenceCenterPercents',
    column: 'recurrence_center_percents',
    name: 'Center of recurrence mass',
    unit: '% of the scanpath',
  },
  { of: 'coefficientK', column: 'coefficient_k', name: 'Coefficient K', unit: 'SD; above 0 focal, below 0 ambient' },
]

/** Draws the measures of each participant's scanpath. */
export function MeasuresFigure({ item, loaded, subject, names }: ScanpathFigureProps) {
  const { data } = loaded
  const scanpaths = data?.scanpaths ?? []
  return (
    <Figure
      title="Measures of scanpaths"
      explains={[
        { of: 'transition entropy', name: 'Transition entropy' },
        { of: 'recurrence', name: 'Recurrence' },
        { of: 'coefficient K', name: 'Coefficient K' },
      ]}
      {...{ subject, loaded }}
      fileName={`gazette-scanpath-measures-${slug(item.filename)}`}
      caption={data === null ? NO_CAPTION : captionOf(data, subject)}
      narrowest={300}
      numbers={() => measureNumbers(scanpaths, names)}
      empty={
        data !== null && scanpaths.length === 0 ? (
          <Empty title="There is no scanpath">
            <p>No participant has a kept test with gaze on this item.</p>
          </Empty>
        ) : null
      }
      draw={data && ((colors, width) => <MeasureStrips {...{ scanpaths, width, colors }} />)}
    />
  )
}

function captionOf(data: ScanpathsData, subject: string) {
  return {
    short: `Measures of scanpaths, a dot for the first test with gaze of each participant, ${ofWhom(data)}`,
    reading:
      'Transition and stationary entropy of places (Krejtz et al., 2015, doi:10.1145/2834121), recurrence of fixations (Anderson et al., 2013, doi:10.3758/s13428-012-0299-5) and coefficient K, standardized over all tests (Krejtz et al., 2016, doi:10.1145/2896452), as in the export scanpaths (docs/scanpaths.md). n counts the participants with a value. Dots of equal values lie on each other.',
    sources: [sourceOf(subject, data)],
  }
}

const NAME_PX = 20
const STRIP_PX = 26
const GAP_PX = 12
const DOT_PX = 4

/** Draws a strip for each measure, with a dot for each participant. */
function MeasureStrips({ scanpaths, width, colors }: { scanpaths: ComparedScanpath[]; width: number; colors: Colors }) {
  const strips = MEASURES.map((measure) => stripOf(scanpaths, measure))
  const stripPx = NAME_PX + STRIP_PX + GAP_PX + belowPx(strips[0].frame)
  return (
    <Drawing
      {...{ width, colors }}
      height={stripPx * strips.length}
      class="scanpath-measures"
      label={`${MEASURES.map(({ name }) => name).join(', ')} of the scanpaths of ${countOf(scanpaths.length, 'participant')}`}
    >
      {strips.map(({ measure, values, frame }, m) => (
        <g key={measure.of} transform={`translate(0,${m * stripPx})`} data-measure={measure.column}>
          <StripName name={measure.name} said={values.length === 0 ? 'no value' : `n = ${wholeText(values.length)}`} />
          {values.length > 0 && (
            <Plot {...{ width, ...frame }} top={NAME_PX} plotPx={STRIP_PX}>
              <Dots values={values} />
            </Plot>
          )}
        </g>
      ))}
    </Drawing>
  )
}

/** Returns the known values of a measure, and the axis that holds them. */
function stripOf(scanpaths: ComparedScanpath[], measure: Measure) {
  const values = scanpaths.flatMap((scanpath) => scanpath[measure.of] ?? [])
  const least = values.reduce((low, value) => Math.min(low, value), 0)
  const most = values.reduce((high, value) => Math.max(high, value), 0)
  const ends: [number, number] = least === most ? [least, least + 1] : [least, most]
  return { measure, values, frame: { x: { of: ends, label: measure.unit, isNice: true } } }
}

function StripName({ name, said }: { name: string; said: string }) {
  const { ink, muted } = useInks()
  return (
    <text y="14" font-size="12" fill={ink}>
      <tspan font-weight="600">{name}</tspan>
      <tspan fill={muted}>{`  ${said}`}</tspan>
    </text>
  )
}

function Dots({ values }: { values: number[] }) {
  const { x, top, bottom } = useFrame()
  const { accent } = useInks()
  return values.map((value, i) => (
    <circle key={i} cx={x(value).toFixed(1)} cy={(top + bottom) / 2} r={DOT_PX} fill={accent} fill-opacity="0.5" />
  ))
}

/** Returns a row for each participant. */
function measureNumbers(scanpaths: ComparedScanpath[], names: Map<string, string>): Numbers {
  return {
    columns: [
      ...['participant', 'test_id', 'aoi_string', 'fixation_count', 'place_count', 'transition_count'],
      ...MEASURES.map(({ column }) => column),
      'saccade_pair_count',
    ],
    rows: scanpaths.map((own) => [
      ...[names.get(own.participantId) ?? own.participantId, own.testId, own.aoiString, own.fixations],
      ...[own.places, own.transitions, ...MEASURES.map(({ of }) => own[of]), own.saccadePairs],
    ]),
  }
}
