import { meanSizePercent } from '../../../isomorphic/aoi-size.ts'
import type { Aoi, AoisData } from '../../core/api.ts'
import { decimal, isolate } from '../../core/number-texts.ts'
import { ColumnNames } from '../../ui/column-names.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { Explain } from '../../ui/help/explain.tsx'
import type { DrawnNumbers } from './drawn-numbers.ts'

/** Mean over the participants who looked; for one participant, their total. */
const SPENT = 'aoi_fixation_average_total_time_spent_ms'

const SIZE = 'aoi_size_overall_percents'

/** Measures by the columns of `aoi-overall-stats` and `aoi-fixations-stats`. */
const MEASURES: [column: string, label: string, unit: string][] = [
  [SIZE, 'Size', '% of the item'],
  ['aoi_fixation_participant_ratio_percents', 'Hit ratio', '% of viewers'],
  ['aoi_fixation_total_count', 'Fixations', ''],
  ['aoi_fixation_average_ttff_ms', 'First fixation, mean of lookers', 'ms'],
  ['aoi_fixation_ttff_ms', 'First fixation (TTFF)', 'ms'],
  [SPENT, 'Dwell time', 'ms'],
  ['aoi_fixation_average_fixation_duration_ms', 'Fixation duration, mean of all fixations', 'ms'],
  ['aoi_fixation_average_first_fixation_duration_ms', 'First fixation duration, mean of lookers', 'ms'],
  ['aoi_fixation_first_fixation_duration_ms', 'First fixation duration', 'ms'],
  ['aoi_average_revisits_count', 'Revisits, mean of lookers', ''],
  ['aoi_revisits_count', 'Revisits', ''],
  ['aoi_gaze_average_total_time_spent_ms', 'Total gaze time, mean of lookers', 'ms'],
  ['aoi_gaze_total_time_spent_ms', 'Total gaze time', 'ms'],
  ['aoi_click_total_count', 'Clicks', ''],
]

type NumbersPanelProps = { aoi: Aoi | null; drawn: DrawnNumbers; saved: AoisData | null; who: string }

/** Shows the numbers of the selected AOI as drawn, beside those as saved. */
export function NumbersPanel({ aoi, drawn, saved, who }: NumbersPanelProps) {
  const { data, isFresh, problem } = drawn
  return (
    <Panel title="Numbers" id="drawn-numbers">
      {aoi === null || data === null ? (
        <p class="hint">{aoi === null ? 'Select an AOI to see its numbers while you draw.' : 'Computing …'}</p>
      ) : (
        <table class="drawn-numbers" data-is-fresh={isFresh}>
          <caption>
            <bdi>{aoi.name}</bdi>, of <bdi>{isolate(who)}</bdi>
          </caption>
          <ColumnNames of={['Measure', 'Drawn', 'Saved']} />
          <tbody class={isFresh ? '' : 'stale'}>
            {MEASURES.filter(([column]) => data.columns.includes(column)).map(([column, label, unit]) => (
              <tr key={column} data-column={column}>
                <th scope="row">
                  {column === SPENT && data.export === 'aoi-overall-stats' ? `${label}, mean of lookers` : label}
                  {column === SIZE && isMoving(aoi) && ', mean over its time'} {unit !== '' && <small>{unit}</small>}{' '}
                  <Explain of={column} name={label} />
                </th>
                <td class="number" data-value={cellOf(data, aoi.id, column) ?? ''}>
                  {column === SIZE ? sizeText(data, aoi.id) : shownCell(data, aoi.id, column)}
                </td>
                <td class="number muted">
                  {column === SIZE ? sizeText(saved, aoi.id) : shownCell(saved, aoi.id, column)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {problem !== null && problem.errors?.length === 0 && (
        <p class="refused" role="status">
          {problem.title}. {problem.detail}
        </p>
      )}
    </Panel>
  )
}

/** Returns the cell of an AOI; from the first row if a participant saw the item more than once. */
function cellOf(data: AoisData | null, aoiId: string, column: string): string | null {
  const row = data?.rows.find((each) => each[data.columns.indexOf('aoi_id')] === aoiId)
  return row?.[data!.columns.indexOf(column)] ?? null
}

function shownCell(data: AoisData | null, aoiId: string, column: string): string {
  const cell = cellOf(data, aoiId, column)
  return cell === null || cell === '' ? '–' : decimal(Number(cell))
}

function isMoving({ parts }: Aoi): boolean {
  return parts.length > 1 && parts.every(({ timeRange }) => timeRange)
}

type PrintedPart = { timeRange?: { fromMs: number; toMs: number }; size: { overallPercents: number } }

/** Returns the size of an AOI; of one that moves, the mean over its time, where the export has the sum of its parts. */
function sizeText(data: AoisData | null, aoiId: string): string {
  const cell = cellOf(data, aoiId, 'aoi_item_parts')
  if (cell === null || cell === '') return shownCell(data, aoiId, SIZE)
  const parts = JSON.parse(cell) as PrintedPart[]
  const sized = parts.map(({ size, timeRange = null }) => ({ sizePercent: size.overallPercents, timeRange }))
  return decimal(meanSizePercent(sized))
}
