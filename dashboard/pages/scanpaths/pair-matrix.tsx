import { scaleBand } from 'd3-scale'
import { inkOn } from '../../core/colors/aoi-colors.ts'
import { cellColor } from '../../core/colors/heat-colors.ts'
import type { Colors } from '../../core/colors/theme.ts'
import { countOf, isolate, result } from '../../core/number-texts.ts'
import { Drawing } from '../../ui/chart/drawing.tsx'
import { cutTo, Words } from '../../ui/chart/words.tsx'

const NAME_PX = 120
/** Height of the numbers of the columns. */
const BELOW_PX = 18
const CELL_MAX_PX = 64
const CELL_MIN_PX = 4
/** Smallest cells with a number, and with a name beside them. */
const NUMBER_PX = 30
const LABEL_PX = 11

/** Least width of a matrix of n scanpaths, whose smallest cells have no names beside them. */
export const narrowestOf = (n: number) => n * CELL_MIN_PX

/** Least and greatest value of a matrix; null without values. */
export function endsOf(cells: (number | null)[][]): [least: number, greatest: number] | null {
  let ends: [number, number] | null = null
  for (const row of cells)
    for (const value of row)
      if (value !== null) ends = ends === null ? [value, value] : [Math.min(ends[0], value), Math.max(ends[1], value)]
  return ends
}

/** Returns where a value is between the ends, 0 to 1; 1 if all values are equal. */
function shareOf(value: number, [least, greatest]: [number, number]): number {
  return greatest === least ? 1 : (value - least) / (greatest - least)
}

type PairMatrixProps = {
  /** By row and, before the row's own, by column; null for a pair without a value. */
  cells: (number | null)[][]
  names: string[]
  /** Name of the similarity. */
  what: string
  width: number
  colors: Colors
}

/** Draws the similarity of each pair of scanpaths as a triangle: its row and its column are participants. */
export function PairMatrix({ cells, names, what, width, colors }: PairMatrixProps) {
  const n = names.length
  // Names take room only where they are drawn.
  const namePx = width - NAME_PX < n * LABEL_PX ? 0 : NAME_PX
  const sidePx = Math.min(width - namePx, n * CELL_MAX_PX)
  const at = scaleBand([...names.keys()], [0, sidePx])
  const cell = at.bandwidth()
  const ends = endsOf(cells) ?? [0, 0]
  const gap = cell < LABEL_PX ? 0 : 1
  return (
    <Drawing
      {...{ colors }}
      width={Math.max(width, namePx + Math.ceil(sidePx))}
      height={Math.ceil(sidePx) + BELOW_PX}
      class="scanpath-pairs"
      label={`${what} of the scanpaths of ${countOf(n, 'participant')}, in pairs`}
    >
      {cells.map((row, r) => (
        <g key={r} transform={`translate(0,${at(r)!.toFixed(2)})`}>
          {namePx > 0 && (
            <Words
              y={cell / 2 + 4}
              fontPx={Math.min(12, cell)}
            >{`${r + 1} ${cutTo(isolate(names[r]), NAME_PX - 30)}`}</Words>
          )}
          {row.map((value, c) => {
            const fill = value === null ? colors.sunken : cellColor(shareOf(value, ends), colors.isDark)
            return (
              <g key={c} transform={`translate(${(namePx + at(c)!).toFixed(2)},0)`} class="pair">
                <title>{`${isolate(names[c])} and ${isolate(names[r])}: ${value === null ? 'not compared' : result(value)}`}</title>
                <rect width={cell - gap} height={cell - gap} fill={fill} />
                {cell >= NUMBER_PX && value !== null && (
                  <text x={(cell - gap) / 2} y={cell / 2 + 4} text-anchor="middle" font-size="11" fill={inkOn(fill)}>
                    {shortText(value)}
                  </text>
                )}
              </g>
            )
          })}
        </g>
      ))}
      {cell >= 2 * LABEL_PX &&
        names.map((_, c) => (
          <Words key={c} x={namePx + at(c)! + cell / 2} y={sidePx + 14} anchor="middle" isMuted>
            {c + 1}
          </Words>
        ))}
    </Drawing>
  )
}

/** Formats a similarity from 0 to 1 with two decimals, and a whole score as it is. */
function shortText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2)
}
