import { max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import type { TagsData } from '../core/api.ts'
import type { Colors } from '../core/colors/theme.ts'
import { countOf, decimal, isolate } from '../core/number-texts.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import { cutTo } from './axis.tsx'
import { Drawing } from './drawing.tsx'

/** Drawn measures: columns of `aoi-tags-stats`, means over participants. */
const PANELS = [
  { column: 'tag_dwell_per_test_ms', title: 'Dwell time per test', unit: 'ms' },
  { column: 'tag_fixations_per_test', title: 'Fixations per test', unit: '' },
  { column: 'tag_hit_percents', title: 'Tests with a hit', unit: '%', most: 100 },
  { column: 'tag_ttff_ms', title: 'First fixation', unit: 'ms, tests with one' },
]
const TOP = 48
const ROW = 26
const GAP = 22
const VALUE = 56

type AoiTagBarsProps = { data: TagsData; width: number; colors: Colors }

/** Draws the means of each AOI tag over participants: one row per tag, one column per measure. */
export function AoiTagBars({ data: { tags, measures }, width, colors }: AoiTagBarsProps) {
  const names = width > 900 ? 240 : 150
  const panelWidth = (width - names) / PANELS.length
  const height = TOP + tags.length * ROW + 8
  return (
    <Drawing
      width={width}
      height={height}
      label={`Means of ${countOf(tags.length, 'tag')} of AOIs: ${PANELS.map(({ title }) => title).join(', ')}`}
    >
      {tags.map(({ tag }, i) => (
        <text key={tag} y={TOP + i * ROW + 17.5} font-size="13" fill={colors.ink}>
          {isolate(cutTo(tag, names - 12, 13))}
        </text>
      ))}
      {PANELS.map(({ column, title, unit, most }, p) => {
        const values = tags.map(({ described }) => described[measures.indexOf(column)]?.mean ?? null)
        const full = panelWidth - GAP - VALUE
        const x = scaleLinear([0, most ?? (max(values, (value) => value ?? 0) || 1)], [0, full])
        return (
          <g key={column} transform={`translate(${names + p * panelWidth},0)`}>
            <text y="16" font-size="13" font-weight="600" fill={colors.ink}>
              {cutTo(title, panelWidth - 8, 13)}
            </text>
            <text y="33" font-size="12" fill={colors.muted}>
              {cutTo(unit, panelWidth - 6)}
            </text>
            {values.map((value, i) => (
              <g key={tags[i].tag} transform={`translate(0,${TOP + i * ROW})`}>
                <rect y="5" width={full} height="16" fill={colors.sunken} />
                {value !== null && <rect y="5" width={x(value)} height="16" fill={colors.accent} />}
                <text x={full + 6} y="17.500" font-size="12" fill={value === null ? colors.muted : colors.ink}>
                  {value === null ? '–' : decimal(value)}
                </text>
              </g>
            ))}
          </g>
        )
      })}
    </Drawing>
  )
}

/** Returns the means with their numbers of participants and standard deviations. */
export function aoiTagNumbers({ tags, measures }: TagsData): Numbers {
  return {
    columns: ['aoi_tag', 'aois', 'items', 'tests', 'measure', 'n', 'mean', 'sd', 'median'],
    rows: tags.flatMap(({ tag, aoiCount, itemCount, testCount, described }) =>
      measures.map((measure, m) => {
        const { n, mean, sd, median } = described[m]
        return [tag, aoiCount, itemCount, testCount, measure, n, mean, sd, median]
      }),
    ),
  }
}
