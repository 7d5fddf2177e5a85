import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { Colors } from '../core/colors/theme.ts'
import { decimal, significant } from '../core/number-texts.ts'
import { cutTo } from './axis.tsx'

/** Measure of several rows. @property most end of its bars, if that is fixed */
export type BarPanel = { title: string; unit: string; most?: number; values: (number | null)[] }

/** Room above the rows, and height of a row, in px. */
export const BARS_TOP = 48
export const BAR_ROW = 26
const GAP = 22
const VALUE = 56

type BarPanelsProps = {
  panels: BarPanel[]
  left: number
  width: number
  colorOf: (row: number) => string
  colors: Colors
}

/** Draws measures side by side, as a bar in each row. A missing value is "–", never a bar of 0. */
export function BarPanels({ panels, left, width, colorOf, colors }: BarPanelsProps) {
  const panelWidth = (width - left) / panels.length
  const full = panelWidth - GAP - VALUE
  return panels.map(({ title, unit, most, values }, p) => {
    const x = scaleLinear([0, most ?? (max(values, (value) => value ?? 0) || 1)], [0, full])
    return (
      <g key={title} transform={`translate(${left + p * panelWidth},0)`}>
        <text y="16" font-size="13" font-weight="600" fill={colors.ink}>
          {cutTo(title, panelWidth - 8, 13)}
        </text>
        <text y="33" font-size="12" fill={colors.muted}>
          {cutTo(unit, panelWidth - 6)}
        </text>
        {values.map((value, i) => (
          <g key={i} transform={`translate(0,${BARS_TOP + i * BAR_ROW})`}>
            <rect y="5" width={full} height="16" fill={colors.sunken} />
            {value !== null && <rect y="5" width={x(value)} height="16" fill={colorOf(i)} />}
            <text x={full + 6} y="17.500" font-size="12" fill={value === null ? colors.muted : colors.ink}>
              {valueText(value)}
            </text>
          </g>
        ))}
      </g>
    )
  })
}

/** Formats the number beside a bar: a value with a bar is never printed as 0. */
function valueText(value: number | null): string {
  return value !== null && value !== 0 && Math.abs(value) < 1 ? significant(value) : decimal(value)
}
