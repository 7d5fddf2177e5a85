import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import {
  type AoisData,
  type FixationsData,
  type HeatmapData,
  type Item,
  type Study,
  type TransitionsData,
  useData,
} from '../../core/api.ts'
import { paintAois } from '../../core/colors/aoi-colors.ts'
import { count, decimal, isolate, slug } from '../../core/number-texts.ts'
import { queryString, type Settings } from '../../core/view/chart-settings.ts'
import { readView } from '../../core/view/chart-view.ts'
import type { Part } from '../../core/view/report-contents.ts'
import { aoiNumbers } from '../../figures/aoi-bars.tsx'
import { AoiFigure } from '../../figures/aoi-figure.tsx'
import { legendOf } from '../../figures/aoi-legend.tsx'
import { useAoiOrder } from '../../figures/aoi-order.tsx'
import {
  cutWords,
  leftOut,
  type StimulusParts,
  stimulusCaption,
  stimulusNumbers,
  subjectOf,
} from '../../figures/captions.ts'
import { ColorBar } from '../../figures/color-bar.tsx'
import { Figure } from '../../figures/figure.tsx'
import { withFrame } from '../../figures/frame-choice.tsx'
import { gazeSettings, together, useHeat } from '../../figures/item-answers.ts'
import { usePicture } from '../../figures/picture.ts'
import { HeatLegend } from '../../figures/settings/layers.tsx'
import { Stimulus } from '../../figures/stimulus.tsx'
import { ColumnNames } from '../../ui/column-names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import { fitting } from '../../ui/waiting/await-item.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { ReportScarf, ReportSurvival, ReportTransitions } from './item-parts.tsx'

type ReportItemProps = {
  study: Study
  item: Item
  settings: Settings
  defaults: Settings
  parts: Part[]
  names: Map<string, string>
  onReady: () => void
}

/** The figures and tables of an item. @param onReady is called once all of it has come, or will not */
export function ReportItem({ study, item, settings, defaults, parts, names, onReady }: ReportItemProps) {
  const aois = useMemo(() => study.aois.filter(({ itemId }) => itemId === item.id), [study, item])
  const view = useMemo(() => {
    const layers = aois.length > 0 ? 'heatmap.aois' : 'heatmap'
    return readView(new URLSearchParams({ layers, weighting: 'participants' }), { isOne: false, aoiCount: aois.length })
      .view
  }, [aois])
  const base = `/api2/studies/${study.id}/charts`
  const at = (some: Settings, more: Record<string, string> = {}) =>
    queryString(some, defaults, { itemId: item.id, ...more })
  const order = useAoiOrder()
  const heatmap = useData<HeatmapData>(
    `${base}/heatmap${at(gazeSettings(settings, defaults), { weighting: 'participants' })}`,
  )
  const fixations = useData<FixationsData>(`${base}/fixations${at(settings)}`)
  const bars = useData<AoisData>(aois.length > 0 ? `${base}/aois${at(settings)}` : null)
  const isMoved = parts.includes('transitions') || parts.includes('survival')
  const transitions = useData<TransitionsData>(
    isMoved && aois.length > 0
      ? `/api2/studies/${study.id}/analysis/transitions${at(settings, { nested: order })}`
      : null,
  )
  const heat = useHeat(heatmap.data, view.heat)
  const picture = usePicture(study.id, item, settings)
  const loaded = together(aois.length > 0 ? [heatmap, fixations, bars] : [heatmap, fixations])
  const isReady = (loaded.isFresh && (picture.href !== null || picture.lack !== null)) || loaded.problem !== null
  useEffect(() => {
    if (isReady) onReady()
  }, [isReady])
  const { aspect } = picture
  const paint = useMemo(() => ({ colors: paintAois(aois.length, view.chosen), lit: null }), [aois, view])
  const subject = subjectOf(item, 'all participants')
  const shown: StimulusParts = {
    view,
    fixations: fixations.data,
    gaze: null,
    heatmap: heatmap.data,
    heat,
    bars: bars.data,
  }
  const isEmpty = fixations.data?.counted.tests === 0
  const drawn: Record<Part, () => ComponentChildren> = {
    heatmap: () => (
      <Figure
        title={`Heatmap of ${isolate(item.filename) || 'the item'}`}
        subject="all participants"
        fileName={`gazette-stimulus-${slug(item.filename)}`}
        caption={withFrame(stimulusCaption(subject, shown), picture)}
        loaded={loaded}
        narrowest={240}
        legend={legendOf(aois, paint.colors, bars.data)}
        bar={heat === null ? null : (colors) => <ColorBar data={heatmap.data!} heat={heat} colors={colors} />}
        numbers={() => stimulusNumbers(shown, aois, new Map())}
        empty={isEmpty ? <Empty title="No test of this item with valid gaze remains" /> : null}
        draw={
          fixations.data === null || heat === null
            ? null
            : (colors, width) => (
                <Stimulus
                  width={fitting(width, aspect)}
                  colors={colors}
                  data={{ item, aspect, picture, aois, paint, points: [], scanpaths: [], heat, layers: view.layers }}
                />
              )
        }
        below={heat !== null && heatmap.data !== null && <HeatLegend data={heatmap.data} heat={heat} />}
      />
    ),
    table: () => bars.data !== null && <AoiTable data={bars.data} name={isolate(item.filename)} />,
    aois: () => (
      <AoiFigure
        title={`Areas of interest of ${isolate(item.filename) || 'the item'}`}
        itemName={item.filename}
        subject="all participants"
        {...{ aois, paint }}
        loaded={bars}
      />
    ),
    scarf: () => <ReportScarf {...{ item, aois, paint, names, order }} chosen={view.chosen} loaded={fixations} />,
    transitions: () => (
      <ReportTransitions {...{ item, aois, paint, picture }} chosen={view.chosen} loaded={transitions} />
    ),
    survival: () => <ReportSurvival {...{ item, aois, paint, picture }} chosen={view.chosen} loaded={transitions} />,
  }
  // Without AOIs or tests there is nothing that they would show.
  const shownParts = parts.filter((part) => part === 'heatmap' || (!isEmpty && (part === 'scarf' || aois.length > 0)))
  return (
    <section class="report-item" aria-label={`Item ${isolate(item.filename)}`}>
      <h2>
        Item <bdi>{item.filename || 'without a name'}</bdi>
      </h2>
      {fixations.data !== null && <FixationFacts data={fixations.data} />}
      <div class="report-parts">
        {shownParts.map((part) => (
          <div key={part} class={`part-${part}`}>
            {drawn[part]()}
          </div>
        ))}
      </div>
    </section>
  )
}

function FixationFacts({ data }: { data: FixationsData }) {
  const { fixationCount, sums, means, kept, counted } = data
  return (
    <p>
      {count(counted.tests)} of {count(kept.testsTotal)} tests, of {count(counted.participants)} participants:{' '}
      {count(fixationCount)} fixations, {decimal(means.durationMs)} ms on average; {count(sums.saccadeCount)} saccades.
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

function AoiTable({ data, name: itemName }: { data: AoisData; name: string }) {
  const { columns, rows } = data
  const name = columns.indexOf('aoi_name')
  const cell = (row: string[], column: string) => {
    const text = row[columns.indexOf(column)]
    return decimal(text === '' ? null : Number(text))
  }
  return (
    <DataTable label={`Areas of interest of ${itemName} in numbers`} numbers={() => aoiNumbers(data)}>
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
