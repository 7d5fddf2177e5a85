import { useMemo } from 'preact/hooks'
import type { Aoi, Item, TransitionsData } from '../../core/api.ts'
import { countOf, slug, wholeText } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import type { Loaded } from '../../core/use-data.ts'
import { legendOf } from '../../figures/aoi-legend.tsx'
import { hiddenWords } from '../../figures/aoi-order.tsx'
import type { Caption } from '../../figures/caption.ts'
import { NO_CAPTION, ofWhom, sourceOf } from '../../figures/captions.ts'
import { Figure } from '../../figures/figure.tsx'
import { withFrame } from '../../figures/frame-choice.tsx'
import type { Picture } from '../../figures/stimulus.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { fitting } from '../../ui/waiting/await-item.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { Arrows, arrowsOf } from './arrows.tsx'
import { type Line, TransitionLines } from './lines.tsx'
import { type MatrixOf, matrixNumbers, TransitionMatrix } from './matrix.tsx'
import { FirstLookTable, VisitTable } from './tables.tsx'
import type { TransitionView } from './transition-views.ts'

type Props = {
  item: Item
  aois: Aoi[]
  chosen: number[]
  colors: string[]
  loaded: Loaded<TransitionsData>
  picture: Picture
  subject: string
}

/** @param on added to the name of the table, where a page has those of several items */
type NamedProps = Props & { title?: string; on?: string }

/** Draws the figures of a view. */
export function TransitionCharts({ view, ...props }: Props & { view: TransitionView }) {
  const isShown = (name: TransitionView) => view === name || view === 'all'
  return (
    <div class="stack">
      {isShown('matrix') && <MatrixFigure {...props} />}
      {isShown('arrows') && <ArrowsFigure {...props} />}
      {isShown('visits') && <VisitFigure {...props} />}
      {isShown('first') && <FirstLookFigure {...props} />}
    </div>
  )
}

const PLACES =
  'Each fixation has one place: outside, or the first AOI that contains it, in the order of the study or, by choice, from the smallest. Consecutive fixations in one place form a stay, and each stay but the last leads to the next (docs/metrics.md, Transitions).'

/** Returns what both figures of transitions have. */
function sharedOf({ aois, colors, loaded, subject }: Props) {
  const { data } = loaded
  const matrix = data?.transitions ?? null
  return {
    subject,
    loaded,
    legend: legendOf(aois, colors),
    numbers: () => matrixNumbers(matrix!, aois),
    empty: matrix !== null && matrix.total === 0 ? <Empty title="There are no transitions" /> : null,
    captionFor: (what: string, reading: string) =>
      captionWith(
        subject,
        data,
        (of) => `${what}, ${ofWhom(of)}${hiddenWords(of.hiddenAois, aois)}`,
        `${PLACES} ${reading}`,
      ),
  }
}

/** Draws transitions as a matrix. */
export function MatrixFigure({ title = 'Transitions', ...props }: Props & { title?: string }) {
  const { item, aois, loaded } = props
  const { captionFor, ...shared } = sharedOf(props)
  const { query } = usePlace()
  const of: MatrixOf = query.get('cells') === 'shares' ? 'shares' : 'counts'
  const matrix = loaded.data?.transitions ?? null
  const counted = countOf(matrix?.total ?? 0, 'transition')
  const cells =
    of === 'counts'
      ? `${counted} from the AOI of the row to that of the column`
      : `${counted}, as a percentage of all transitions from the AOI of the row`
  return (
    <Figure
      {...shared}
      title={title}
      explains={[{ of: 'transition', name: 'Transition' }]}
      fileName={`gazette-transitions-${slug(item.filename)}`}
      caption={captionFor(cells, 'The numbers cover all tests.')}
      narrowest={150 + 24 * (aois.length + 1)}
      controls={
        <Choice
          isInline
          label="Cells"
          value={of}
          of={{ counts: 'number of transitions', shares: 'share of transitions from the row, %' }}
          onChange={(value) => setQuery({ cells: value === 'shares' ? value : null })}
        />
      }
      draw={matrix && ((colors, width) => <TransitionMatrix {...{ matrix, aois, of, width, colors }} />)}
    />
  )
}

function ArrowsFigure(props: Props) {
  const { item, aois, colors: aoiColors, loaded, picture } = props
  const { captionFor, ...shared } = sharedOf(props)
  const { query } = usePlace()
  const most = Math.min(1000, Math.max(1, Number(query.get('arrows')) || 30))
  const matrix = loaded.data?.transitions ?? null
  const arrows = useMemo(() => (matrix === null ? [] : arrowsOf(matrix, aois.length, most)), [matrix, aois, most])
  const { aspect } = picture
  const what = `${countOf(matrix?.total ?? 0, 'transition')}; arrows for the ${wholeText(arrows.length)} most frequent transitions between AOIs; wider arrows mean more`
  return (
    <Figure
      {...shared}
      title="Transitions over the item"
      fileName={`gazette-transition-arrows-${slug(item.filename)}`}
      caption={withFrame(
        captionFor(
          what,
          'An arrow bends to the right of its direction, and its width grows with the number of transitions. Only the matrix has transitions from and to outside.',
        ),
        picture,
        aois,
      )}
      narrowest={240}
      draw={
        matrix &&
        ((colors, width) => (
          <Arrows {...{ arrows, aois, aoiColors, item, picture, aspect, colors }} width={fitting(width, aspect)} />
        ))
      }
    />
  )
}

/** Draws the share of tests in a visit of each AOI over time. */
export function VisitFigure({ title = 'Visits over time', ...props }: NamedProps) {
  const { item, aois, chosen, colors: aoiColors, loaded, subject, on } = props
  const { data } = loaded
  const { timesMs, tests } = data?.visiting ?? NO_VISITS
  const lines = data === null ? [] : chosen.map((aoi) => visitLine(data.visiting, aoi, aoiColors[aoi]))
  const words = `Percentage of tests in a visit of the AOI, among the tests that have not ended by then, every ${timesMs[1] ?? 0} ms; the number of these tests is below the axis. A visit is a sequence of consecutive fixations in the AOI, from the start of the first to the end of the last (docs/metrics.md, Visits); AOIs may overlap.`
  return (
    <Figure
      {...{ title, subject, loaded }}
      explains={[
        { of: 'visit', name: 'Visit' },
        { of: 'dwell time', name: 'Dwell time of a visit' },
      ]}
      fileName={`gazette-visits-${slug(item.filename)}`}
      legend={legendOf(aois, aoiColors)}
      caption={captionWith(
        subject,
        data,
        (of) =>
          `Percentage of tests in a visit of the AOI at each time, among tests that have not ended, ${ofWhom(of)}`,
        words,
      )}
      narrowest={300}
      numbers={() => visitNumbers(data?.visiting ?? NO_VISITS, aois, chosen)}
      draw={
        data &&
        ((colors, width) => (
          <TransitionLines
            {...{ lines, width, colors }}
            untilMs={data.untilMs}
            counts={[{ label: 'n', at: (seconds) => tests[placeAt(timesMs, seconds)] ?? 0 }]}
            isStep={false}
            label="Time from item onset, s"
            percentOf="Tests in a visit of the AOI, %"
            what="Visits"
          />
        ))
      }
      below={data && <VisitTable summaries={data.visits} aois={aois} colors={aoiColors} on={on} />}
    />
  )
}

type Visiting = TransitionsData['visiting']
const NO_VISITS: Visiting = { timesMs: [], tests: [], percents: [] }

function visitLine({ timesMs, percents }: Visiting, aoi: number, color: string): Line {
  const points = timesMs.flatMap((t, i): Line['points'] => {
    const percent = percents[aoi][i]
    return percent === null ? [] : [[t / 1000, percent]]
  })
  return { aoi, color, points }
}

function visitNumbers({ timesMs, tests, percents }: Visiting, aois: Aoi[], chosen: number[]): Numbers {
  return {
    columns: ['time_ms', 'tests', ...chosen.map((a) => `visiting_percent ${aois[a].name}`)],
    rows: timesMs.map((t, i) => [t, tests[i], ...chosen.map((a) => percents[a][i])]),
  }
}

/** Returns the caption of a figure. @param shortOf returns its sentence once the data are loaded */
function captionWith(
  subject: string,
  data: TransitionsData | null,
  shortOf: (data: TransitionsData) => string,
  reading: string,
): Caption {
  return data === null ? NO_CAPTION : { short: shortOf(data), reading, sources: [sourceOf(subject, data)] }
}

function placeAt(timesMs: number[], seconds: number): number {
  return timesMs.findLastIndex((t) => t <= seconds * 1000)
}

type FirstLooks = TransitionsData['firstLooks']

function survivalLine({ steps, untilMs }: FirstLooks[number], aoi: number, color: string): Line {
  const falls = steps.map(({ t, survival }): [number, number] => [t / 1000, 100 * survival])
  return { aoi, color, points: [[0, 100], ...falls, [untilMs / 1000, falls.at(-1)?.[1] ?? 100]] }
}

function survivalNumbers(looks: FirstLooks, aois: Aoi[]): Numbers {
  return {
    columns: ['aoi_name', 'time_ms', 'at_risk', 'first_fixations', 'not_yet_percent', 'low_95', 'high_95'],
    rows: looks.flatMap(({ steps }, a) =>
      steps.map(({ t, atRisk, events, survival, low, high }) => [
        aois[a].name,
        t,
        atRisk,
        events,
        100 * survival,
        100 * low,
        100 * high,
      ]),
    ),
  }
}

const SURVIVAL_WORDS =
  'Percentage of participants who have not fixated the AOI yet, estimated by the method of Kaplan and Meier (1958) from the first test of each participant on the item. A participant who never looked is censored at the end of the test; a mean time to first fixation would leave them out. Below the axis, a row for each AOI gives the number of participants at risk: those who neither fixated it nor were censored before. The estimate assumes that the duration of a test does not depend on when the participant would have looked.'

/** Draws the share of participants who have not yet looked at each AOI. */
export function FirstLookFigure(props: NamedProps) {
  const { title = 'Time to first fixation', item, aois, chosen, colors: aoiColors, loaded, subject, on } = props
  const { data } = loaded
  const looks = data?.firstLooks ?? null
  const timesMs = data?.visiting.timesMs ?? []
  const lines = looks === null ? [] : chosen.map((aoi) => survivalLine(looks[aoi], aoi, aoiColors[aoi]))
  return (
    <Figure
      {...{ title, subject, loaded }}
      explains={[
        { of: 'survival curve', name: 'Survival curve' },
        { of: 'TTFF', name: 'Time to first fixation (TTFF)' },
      ]}
      fileName={`gazette-first-fixations-${slug(item.filename)}`}
      legend={legendOf(aois, aoiColors)}
      caption={captionWith(
        subject,
        data,
        (of) => `Percentage of participants who have not fixated the AOI yet at each time, ${ofWhom(of)}`,
        SURVIVAL_WORDS,
      )}
      narrowest={300}
      numbers={() => survivalNumbers(looks!, aois)}
      draw={
        looks &&
        ((colors, width) => (
          <TransitionLines
            {...{ lines, width, colors }}
            untilMs={Math.max(1, ...looks.map((each) => each.untilMs))}
            counts={chosen.map((a) => ({
              label: `${a + 1}`,
              at: (seconds) => looks[a].atRisk[placeAt(timesMs, seconds)] ?? 0,
            }))}
            isStep
            label="Time from item onset, s"
            percentOf="Participants who have not fixated it yet, %"
            what="Time to first fixation"
          />
        ))
      }
      below={looks && <FirstLookTable looks={looks} aois={aois} colors={aoiColors} on={on} />}
    />
  )
}
