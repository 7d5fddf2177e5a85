import type { TagsData } from '../core/api.ts'
import type { Colors } from '../core/colors/theme.ts'
import { countOf, isolate } from '../core/number-texts.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import { Drawing } from '../ui/chart/drawing.tsx'
import { cutTo, Words } from '../ui/chart/words.tsx'
import { BAR_ROW, BARS_TOP, BarPanels } from './bar-panels.tsx'

/** Drawn measures: columns of `aoi-tags-stats`, means over participants. */
const PANELS = [
  { column: 'tag_dwell_per_test_ms', title: 'Dwell time per test', unit: 'ms' },
  { column: 'tag_fixations_per_test', title: 'Fixations per test', unit: '' },
  { column: 'tag_hit_percents', title: 'Tests with a hit', unit: '%', most: 100 },
  { column: 'tag_ttff_ms', title: 'First fixation', unit: 'ms, tests with one' },
]

type AoiTagBarsProps = { data: TagsData; width: number; colors: Colors }

/** Draws the means of each AOI tag over participants: one row per tag, one column per measure. */
export function AoiTagBars({ data: { tags, measures }, width, colors }: AoiTagBarsProps) {
  const names = width > 900 ? 240 : 150
  const panels = PANELS.map(({ column, ...panel }) => ({
    ...panel,
    values: tags.map(({ described }) => described[measures.indexOf(column)]?.mean ?? null),
  }))
  return (
    <Drawing
      {...{ width, colors }}
      height={BARS_TOP + tags.length * BAR_ROW + 8}
      label={`Means of ${countOf(tags.length, 'tag')} of AOIs: ${PANELS.map(({ title }) => title).join(', ')}`}
    >
      {tags.map(({ tag }, i) => (
        <Words key={tag} y={BARS_TOP + i * BAR_ROW + 17.5} fontPx={13}>
          {isolate(cutTo(tag, names - 12, 13))}
        </Words>
      ))}
      <BarPanels {...{ panels, width }} left={names} colorOf={() => colors.accent} />
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
