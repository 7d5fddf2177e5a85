import type { Aoi, TransitionsData } from '../../core/api.ts'
import { inkOn } from '../../core/colors/aoi-colors.ts'
import { cellColor } from '../../core/colors/heat-colors.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import type { Numbers } from '../../core/numbers-csv.ts'
import { Drawing } from '../../ui/chart/drawing.tsx'
import { cutTo, Words } from '../../ui/chart/words.tsx'

/** Transitions from row to column; the last index is outside all AOIs. */
type Matrix = TransitionsData['transitions']

export type MatrixOf = 'counts' | 'shares'

const NAME_PX = 150
const TOP_PX = 52
const CELL_MAX_PX = 64
const CELL_MIN_PX = 24
const ROW_PX = 28

/** Returns the percentage of all transitions from the AOI of a row; null if there are none. */
function shareOf({ probabilities }: Matrix, from: number, to: number): number | null {
  const share = probabilities[from][to]
  return share === null ? null : 100 * share
}

type TransitionMatrixProps = { matrix: Matrix; aois: Aoi[]; of: MatrixOf; width: number; colors: Colors }

/** Draws a matrix from row to column; cells with more contrast to the page mean more. */
export function TransitionMatrix({ matrix, aois, of, width, colors }: TransitionMatrixProps) {
  const n = aois.length + 1
  const cell = Math.max(CELL_MIN_PX, Math.min(CELL_MAX_PX, (width - NAME_PX) / n))
  const wide = Math.ceil(NAME_PX + n * cell)
  const height = TOP_PX + n * ROW_PX + 6
  const valueAt = (from: number, to: number) => (of === 'counts' ? matrix.counts[from][to] : shareOf(matrix, from, to))
  const most = Math.max(1, ...matrix.counts.flatMap((row, from) => row.map((_, to) => valueAt(from, to) ?? 0)))
  const nameOf = (a: number) => (a === aois.length ? 'outside' : `${a + 1} ${isolate(aois[a].name)}`)
  return (
    <Drawing
      {...{ height, colors }}
      width={wide}
      label={`Transitions between ${countOf(aois.length, 'area of interest', 'areas of interest')} and the outside, from row to column`}
    >
      <Words x={NAME_PX} y={14} isMuted>
        to
      </Words>
      <Words y={TOP_PX - 8} isMuted>
        from
      </Words>
      {Array.from({ length: n }, (_, to) => (
        <Words key={to} x={NAME_PX + (to + 0.5) * cell} y={TOP_PX - 8} anchor="middle" isStrong>
          {to === aois.length ? 'out' : to + 1}
        </Words>
      ))}
      {Array.from({ length: n }, (_, from) => (
        <g key={from} transform={`translate(0,${TOP_PX + from * ROW_PX})`}>
          <Words y={18}>{cutTo(nameOf(from), NAME_PX - 8)}</Words>
          {Array.from({ length: n }, (__, to) => {
            const value = valueAt(from, to)
            const fill = value === null || value === 0 ? colors.sunken : cellColor(value / most, colors.isDark)
            return (
              <g key={to} transform={`translate(${NAME_PX + to * cell},0)`}>
                <title>{`${nameOf(from)} to ${nameOf(to)}: ${value === null ? 'no transitions' : of === 'counts' ? value : `${value.toFixed(1)} %`}`}</title>
                <rect x="1" y="1" width={cell - 2} height={ROW_PX - 2} fill={fill} />
                {value !== null && value > 0 && (
                  <text x={cell / 2} y="18" text-anchor="middle" font-size="11.5" fill={inkOn(fill)}>
                    {of === 'counts' ? value : Math.round(value)}
                  </text>
                )}
              </g>
            )
          })}
        </g>
      ))}
    </Drawing>
  )
}

/** Returns one row per pair with transitions. */
export function matrixNumbers(matrix: Matrix, aois: Aoi[]): Numbers {
  const nameOf = (a: number) => (a === aois.length ? null : aois[a].name)
  return {
    columns: ['from_aoi_name', 'to_aoi_name', 'transition_count', 'percent_of_those_that_leave'],
    rows: matrix.counts.flatMap((row, from) =>
      row.flatMap((count, to) => (count === 0 ? [] : [[nameOf(from), nameOf(to), count, shareOf(matrix, from, to)]])),
    ),
  }
}
