import type { Aoi, AoisData } from '../core/api.ts'
import { type AoiPaint, OTHER_AOI } from '../core/colors/aoi-colors.ts'
import type { Colors } from '../core/colors/theme.ts'
import { countOf, decimal } from '../core/number-texts.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import { Drawing } from '../ui/chart/drawing.tsx'
import type { Explained } from '../ui/help/explanations.tsx'
import { AoiLabel } from './aoi-label.tsx'
import { BAR_ROW, BARS_TOP, type BarPanel, BarPanels } from './bar-panels.tsx'

type Panel = Omit<BarPanel, 'values'> & { column: string }

/** Columns of `aoi-overall-stats`. */
const OF_ALL: Panel[] = [
  { column: 'aoi_fixation_average_ttff_ms', title: 'First fixation', unit: 'ms, mean of lookers' },
  { column: 'aoi_fixation_average_total_time_spent_ms', title: 'Dwell time', unit: 'ms, mean of lookers' },
  { column: 'aoi_fixation_participant_ratio_percents', title: 'Hit ratio', unit: '% of viewers', most: 100 },
  { column: 'aoi_average_revisits_count', title: 'Revisits', unit: 'mean of lookers' },
]

/** Columns of `aoi-fixations-stats`. */
const OF_ONE: Panel[] = [
  { column: 'aoi_fixation_ttff_ms', title: 'First fixation', unit: 'ms (TTFF)' },
  { column: 'aoi_fixation_average_total_time_spent_ms', title: 'Dwell time', unit: 'ms' },
  { column: 'aoi_fixation_total_count', title: 'Fixations', unit: '' },
  { column: 'aoi_revisits_count', title: 'Revisits', unit: '' },
]

/** Returns the measures that are drawn, with their columns. */
export function aoiMeasures(data: AoisData): Explained[] {
  return panelsOf(data).map(({ column, title }) => ({ of: column, name: title }))
}

function panelsOf({ export: name }: AoisData): Panel[] {
  return name === 'aoi-overall-stats' ? OF_ALL : OF_ONE
}

type AoiBarsProps = { data: AoisData; aois: Aoi[]; paint: AoiPaint; width: number; colors: Colors }

/** Draws the cells of the export as bars: one row per AOI, one column per measure. */
export function AoiBars({ data, aois, paint, width, colors }: AoiBarsProps) {
  const colorOf = (a: number) => paint.colors[a] ?? OTHER_AOI
  const names = Math.min(240, Math.max(130, Math.round(width * 0.22)))
  const id = data.columns.indexOf('aoi_id')
  // A participant who saw the item twice has two rows per AOI.
  const rows = data.rows.map((row) => ({ row, a: aois.findIndex((aoi) => aoi.id === row[id]) }))
  const panels = panelsOf(data).map(({ column, ...panel }) => {
    const at = data.columns.indexOf(column)
    return { ...panel, values: rows.map(({ row }) => (row[at] === '' ? null : Number(row[at]))) }
  })
  return (
    <Drawing
      {...{ width, colors }}
      height={BARS_TOP + rows.length * BAR_ROW + 8}
      label={`Bars of ${countOf(rows.length, 'area of interest', 'areas of interest')}: ${panels.map(({ title }) => title).join(', ')}`}
    >
      {rows.map(({ row, a }, i) => (
        <g
          key={`${row[id]}-${i}`}
          opacity={paint.lit !== null && paint.lit !== a ? 0.35 : 1}
          transform={`translate(0,${BARS_TOP + i * BAR_ROW})`}
        >
          <AoiLabel name={aois[a]?.name ?? ''} place={a} color={colorOf(a)} y={4} px={names - 40} fontPx={13} />
        </g>
      ))}
      <BarPanels {...{ panels, width }} left={names} colorOf={(i) => colorOf(rows[i].a)} />
    </Drawing>
  )
}

/**
 * Returns the main numbers of an AOI in a few words. If a participant saw the item more than once, they come from the
 * first row.
 */
export function aoiFacts(aoi: Aoi, { export: name, columns, rows }: AoisData): string {
  const row = rows.find((each) => each[columns.indexOf('aoi_id')] === aoi.id)
  if (row === undefined) return ''
  const value = (column: string) => {
    const cell = row[columns.indexOf(column)]
    return cell === '' ? null : Number(cell)
  }
  const isOverall = name === 'aoi-overall-stats'
  const first = value(isOverall ? 'aoi_fixation_average_ttff_ms' : 'aoi_fixation_ttff_ms')
  if (first === null) return 'not fixated'
  const spent = decimal(value('aoi_fixation_average_total_time_spent_ms'))
  const share = isOverall
    ? `${decimal(value('aoi_fixation_participant_ratio_percents'))} % of participants`
    : countOf(value('aoi_fixation_total_count') ?? 0, 'fixation')
  return isOverall
    ? `${share} fixated it, on average after ${decimal(first)} ms and for ${spent} ms`
    : `first after ${decimal(first)} ms, dwell ${spent} ms, ${share}`
}

/** Returns the cells of the export without the columns that are equal in every row. */
export function aoiNumbers({ columns, rows }: AoisData): Numbers {
  const from = columns.indexOf('aoi_name')
  const dropped = ['aoi_item_parts', 'notes']
  const keep = columns.map((_, c) => c).filter((c) => c >= from && !dropped.includes(columns[c]))
  return {
    columns: keep.map((c) => columns[c]),
    rows: rows.map((row) => keep.map((c) => numberOr(row[c]))),
  }
}

function numberOr(cell: string): string | number | null {
  if (cell === '') return null
  return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell
}
