import { decimal, significant } from '../core/number-texts.ts'
import { useInks } from '../ui/chart/drawing.tsx'
import { cutTo, Words } from '../ui/chart/words.tsx'

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
}

/** Draws measures side by side, as a bar in each row. A missing value is "–", never a bar of 0. */
export function BarPanels({ panels, left, width, colorOf }: BarPanelsProps) {
  const { sunken } = useInks()
  const panelWidth = (width - left) / panels.length
  const full = panelWidth - GAP - VALUE
  return panels.map(({ title, unit, most, values }, p) => {
    const end = most ?? (Math.max(0, ...values.map((value) => value ?? 0)) || 1)
    return (
      <g key={title} transform={`translate(${left + p * panelWidth},0)`}>
        <Words y={16} fontPx={13} isStrong>
          {cutTo(title, panelWidth - 8, 13)}
        </Words>
        <Words y={33} isMuted>
          {cutTo(unit, panelWidth - 6)}
        </Words>
        {values.map((value, i) => (
          <g key={i} transform={`translate(0,${BARS_TOP + i * BAR_ROW})`}>
            <rect y="5" width={full} height="16" fill={sunken} />
            {value !== null && <rect y="5" width={full * (value / end)} height="16" fill={colorOf(i)} />}
            <Words x={full + 6} y={17.5} isMuted={value === null}>
              {valueText(value)}
            </Words>
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
