import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { Aoi, AoisData } from '../core/api.ts'
import type { AoiPaint } from '../core/colors/aoi-colors.ts'
import { inkOn, OTHER_AOI } from '../core/colors/aoi-colors.ts'
import type { Colors } from '../core/colors/theme.ts'
import { countOf, decimal, isolate, significant } from '../core/number-texts.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import type { Explained } from '../ui/help/explanations.tsx'
import { cutTo } from './axis.tsx'
import { Drawing } from './drawing.tsx'

type Panel = { column: string; title: string; unit: string; most?: number }

/** Columns of `aoi-overall-stats`. */
const OF_ALL: Panel[] = [
  { column: 'aoi_fixation_average_ttff_ms', title: 'First fixation', unit: 'ms, mean of lookers' },
  { column: 'aoi_fixation_average_total_time_spent_ms', title: 'Dwell time', unit: 'ms, mean of lookers' },
  {
    column: 'aoi_fixation_participant_ratio_percents',
    title: 'Hit ratio',
    unit: '% of viewers',
    most: 100,
  },
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
export function aoiMeasures({ export: name }: AoisData): Explained[] {
  return (name === 'aoi-overall-stats' ? OF_ALL : OF_ONE).map(({ column, title }) => ({ of: column, name: title }))
}

const TOP = 48
const ROW = 26
const GAP = 22

type AoiBarsProps = { data: AoisData; aois: Aoi[]; paint: AoiPaint; width: number; colors: Colors }

/**
 * Draws the cells of the export as bars: one row per AOI, one column per measure. An empty cell is "–", never a bar of
 * 0.
 */
export function AoiBars({ data, aois, paint, width, colors }: AoiBarsProps) {
  const colorOf = (a: number) => paint.colors[a] ?? OTHER_AOI
  const names = Math.min(240, Math.max(130, Math.round(width * 0.22)))
  const panels = data.export === 'aoi-overall-stats' ? OF_ALL : OF_ONE
  const id = data.columns.indexOf('aoi_id')
  // A participant who saw the item twice has two rows per AOI.
  const rows = data.rows.map((row) => ({ row, a: aois.findIndex((aoi) => aoi.id === row[id]) }))
  const height = TOP + rows.length * ROW + 8
  const panelWidth = (width - names) / panels.length
  return (
    <Drawing
      width={width}
      height={height}
      label={`Bars of ${rows.length} areas of interest: ${panels.map(({ title }) => title).join(', ')}`}
    >
      {rows.map(({ row, a }, i) => (
        <g
          key={`${row[id]}-${i}`}
          opacity={paint.lit !== null && paint.lit !== a ? 0.35 : 1}
          transform={`translate(0,${TOP + i * ROW})`}
        >
          <rect x="0" y="4" width="22" height="18" fill={colorOf(a)} />
          <text x="11" y="17.500" text-anchor="middle" font-size="12" font-weight="700" fill={inkOn(colorOf(a))}>
            {a + 1}
          </text>
          <text x="30" y="17.500" font-size="13" fill={colors.ink}>
            {isolate(cutTo(aois[a]?.name ?? '', names - 40, 13))}
          </text>
        </g>
      ))}
      {panels.map((panel, p) => {
        const at = data.columns.indexOf(panel.column)
        const values = rows.map(({ row }) => (row[at] === '' ? null : Number(row[at])))
        const x = scaleLinear([0, panel.most ?? (max(values, (value) => value ?? 0) || 1)], [0, panelWidth - GAP - 52])
        return (
          <g key={panel.column} transform={`translate(${names + p * panelWidth},0)`}>
            <text y="16" font-size="13" font-weight="600" fill={colors.ink}>
              {cutTo(panel.title, panelWidth - 8, 13)}
            </text>
            <text y="33" font-size="12" fill={colors.muted}>
              {cutTo(panel.unit, panelWidth - 6)}
            </text>
            {values.map((value, i) => (
              <g key={i} transform={`translate(0,${TOP + i * ROW})`}>
                <rect y="5" width={panelWidth - GAP - 52} height="16" fill={colors.sunken} />
                {value !== null && <rect y="5" width={x(value)} height="16" fill={colorOf(rows[i].a)} />}
                <text
                  x={panelWidth - GAP - 46}
                  y="17.500"
                  font-size="12"
                  fill={value === null ? colors.muted : colors.ink}
                >
                  {cellText(value)}
                </text>
              </g>
            ))}
          </g>
        )
      })}
    </Drawing>
  )
}

/** Formats the number beside a bar: a value with a bar is never printed as 0. */
function cellText(value: number | null): string {
  return value !== null && value !== 0 && Math.abs(value) < 1 ? significant(value) : decimal(value)
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
