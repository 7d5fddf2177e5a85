import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import { useAoisOf } from '../../core/aois-of.ts'
import type {
  Aoi,
  AoisData,
  FixationsData,
  HeatmapData,
  Item,
  ReadingData,
  Study,
  TransitionsData,
} from '../../core/api.ts'
import { decimal, isolate, wholeText } from '../../core/number-texts.ts'
import { useData } from '../../core/use-data.ts'
import { queryString, type Settings } from '../../core/view/chart-settings.ts'
import type { View } from '../../core/view/chart-view.ts'
import { gazeSettings } from '../../core/view/item-charts.ts'
import type { ReportPart } from '../../core/view/report-contents.ts'
import { hasWords } from '../../core/view/words-of.ts'
import { aoiNumbers } from '../../figures/aoi-bars.tsx'
import { AoiFigure } from '../../figures/aoi-figure.tsx'
import { useAoiOrder } from '../../figures/aoi-order.tsx'
import { cutWords, leftOut } from '../../figures/captions.ts'
import { usePicture } from '../../figures/picture.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import { Await } from '../../ui/waiting/states.tsx'
import {
  ALL,
  figureTitle,
  ReportScarf,
  ReportSurvival,
  ReportTransitions,
  ReportVisits,
  ReportWords,
  type ScarfRows,
  type Who,
} from './item-parts.tsx'
import { ReportStimulus, viewsOf } from './report-stimulus.tsx'

type ReportItemProps = {
  study: Study
  item: Item
  settings: Settings
  defaults: Settings
  parts: ReportPart[]
  names: Map<string, string>
  rows: ScarfRows
  /** Added to the names of tables, so that no two of the page have the same; '' for none. */
  mark?: string
}

/** Returns the figures and tables of an item, drawn when they are asked for; only those of `parts` are loaded. */
export function useItemParts(props: ReportItemProps & { who: Who }) {
  const { study, item, settings, names, who, rows, mark = '' } = props
  const aois = useAoisOf(study, item)
  const views = useMemo(() => viewsOf(aois.length), [aois])
  const { chosen } = views.heatmap
  const answers = useItemAnswers(props, views.heatmap, aois)
  const { fixations, bars, transitions } = answers
  const picture = usePicture(study.id, item, settings)
  const paint = { colors: useAoiColors(study, aois, chosen), lit: null }
  const isEmpty = fixations.data?.counted.tests === 0
  const shared = { item, aois, paint, picture, chosen, who, mark }
  const over = { ...shared, names, answers, isEmpty }
  /** Says what a part lacks, without which it would be empty; null if it can be drawn. */
  const lackOf = (part: ReportPart): string | null => {
    const needed = NEEDS[part]
    if (needed === 'item') return null
    // Known before the tests, and not mended by others.
    if (needed === 'aois' && aois.length === 0) return 'The item has no areas of interest.'
    if (needed === 'words' && !hasWords(aois)) return 'The item has no words.'
    return isEmpty ? 'No test with valid gaze remains.' : null
  }
  const shownParts = props.parts.filter((part) => lackOf(part) === null)
  // Its table names the AOIs.
  const isBeside = shownParts[0] === 'heatmap' && shownParts[1] === 'table'
  const drawn: Record<ReportPart, () => ComponentChildren> = {
    heatmap: () => <ReportStimulus {...over} hasKey={!isBeside} view={views.heatmap} title="Heatmap" />,
    fog: () => <ReportStimulus {...over} hasKey view={views.fog} title="Fog map" />,
    plots: () => <ReportStimulus {...over} hasKey view={views.plots} title="Gaze plots" />,
    table: () => (
      <Await loaded={bars} what="the AOIs">
        {(data) => <AoiTable data={data} name={`${figureTitle('Areas of interest', item, who)} in numbers${mark}`} />}
      </Await>
    ),
    aois: () => (
      <AoiFigure
        title={figureTitle('Areas of interest', item, who)}
        itemName={item.filename}
        subject={who.name}
        {...{ aois, paint }}
        loaded={bars}
      />
    ),
    scarf: () => <ReportScarf {...{ ...shared, ...rows, names }} loaded={fixations} />,
    transitions: () => <ReportTransitions {...shared} loaded={transitions} />,
    survival: () => <ReportSurvival {...shared} loaded={transitions} />,
    visits: () => <ReportVisits {...shared} loaded={transitions} />,
    words: () => <ReportWords {...{ study, item, aois, who, picture, settings }} loaded={answers.reading} />,
  }
  return { drawn, lackOf, shownParts, isBeside, fixations }
}

/** Data that each part needs. */
const NEEDS: Record<ReportPart, 'item' | 'tests' | 'aois' | 'words'> = {
  heatmap: 'item',
  fog: 'item',
  plots: 'tests',
  table: 'aois',
  aois: 'aois',
  scarf: 'tests',
  transitions: 'aois',
  survival: 'aois',
  visits: 'aois',
  words: 'words',
}

/** Draws the chosen figures and tables of an item. */
export function ReportItem(props: ReportItemProps) {
  const { item } = props
  const { drawn, shownParts, isBeside, fixations } = useItemParts({ ...props, who: ALL })
  const all = shownParts.map((part) => (
    <div key={part} class={`part-${part}`}>
      {drawn[part]()}
    </div>
  ))
  const [first, others] = [all.slice(0, isBeside ? 2 : 1), all.slice(isBeside ? 2 : 1)]
  return (
    <section id={`report-item-${item.id}`} class="report-item" aria-label={`Item ${isolate(item.filename)}`}>
      {/* On one page of paper. */}
      <div class="report-parts together">
        <h2>
          Item <bdi>{item.filename || 'without a name'}</bdi>
        </h2>
        <Await loaded={fixations} what="fixations">
          {(data) => <FixationFacts data={data} />}
        </Await>
        {isBeside ? <div class="beside">{first}</div> : first}
      </div>
      {others.length > 0 && <div class="report-parts">{others}</div>}
    </section>
  )
}

/** Loads the data of an item's parts; loads nothing for hidden parts. */
function useItemAnswers(
  { study, item, settings, defaults, parts, who }: ReportItemProps & { who: Who },
  view: View,
  aois: Aoi[],
) {
  const hasAois = aois.length > 0
  const base = `/api2/studies/${study.id}`
  const at = (some: Settings, more: Record<string, string> = {}) =>
    queryString(some, defaults, { itemId: item.id, participantId: who.participantId, ...more })
  const has = (...some: ReportPart[]) => some.some((part) => parts.includes(part))
  const nested = useAoiOrder()
  const weights = `${base}/charts/heatmap${at(gazeSettings(settings, defaults), { weighting: view.weighting })}`
  const isMoved = hasAois && has('transitions', 'survival', 'visits')
  const isRead = has('words') && hasWords(aois)
  return {
    heatmap: useData<HeatmapData>(has('heatmap', 'fog') ? weights : null),
    fixations: useData<FixationsData>(`${base}/charts/fixations${at(settings)}`),
    bars: useData<AoisData>(
      hasAois && has('heatmap', 'fog', 'table', 'aois') ? `${base}/charts/aois${at(settings)}` : null,
    ),
    transitions: useData<TransitionsData>(isMoved ? `${base}/analysis/transitions${at(settings, { nested })}` : null),
    reading: useData<ReadingData>(isRead ? `${base}/analysis/reading${at(settings)}` : null),
  }
}

function FixationFacts({ data }: { data: FixationsData }) {
  const { fixationCount, sums, means, kept, counted } = data
  return (
    <p>
      {wholeText(counted.tests)} of {wholeText(kept.testsTotal)} tests, of {wholeText(counted.participants)}{' '}
      participants: {wholeText(fixationCount)} fixations, {decimal(means.durationMs)} ms on average;{' '}
      {wholeText(sums.saccadeCount)} saccades.
      {cutWords(data)} {leftOut(data)}
    </p>
  )
}

/** Columns of `aoi-overall-stats`. */
const COLUMNS = [
  ['aoi_fixation_average_ttff_ms', 'First fixation (TTFF), ms, mean of lookers'],
  ['aoi_fixation_average_total_time_spent_ms', 'Dwell time, ms, mean of lookers'],
  ['aoi_fixation_participant_ratio_percents', 'Hit ratio, % of viewers'],
  ['aoi_average_revisits_count', 'Revisits, mean of lookers'],
]

function AoiTable({ data, name: label }: { data: AoisData; name: string }) {
  const { columns, rows } = data
  const name = columns.indexOf('aoi_name')
  const cell = (row: string[], column: string) => {
    const text = row[columns.indexOf(column)]
    return decimal(text === '' ? null : Number(text))
  }
  return (
    <DataTable label={label} numbers={() => aoiNumbers(data)}>
      <table>
        <ColumnNames
          of={[
            'AOI',
            ...COLUMNS.map(([column, label]) => (
              <>
                {label} <Explain of={column} name={label} />
              </>
            )),
          ]}
        />
        <tbody>
          {rows.map((row, r) => (
            <tr key={r}>
              <th scope="row">
                {r + 1} <bdi>{row[name]}</bdi>
              </th>
              {COLUMNS.map(([column]) => (
                <td key={column} class="number">
                  {cell(row, column)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </DataTable>
  )
}
