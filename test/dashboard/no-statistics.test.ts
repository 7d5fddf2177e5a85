import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SHOWN_MEASURES } from '../../dashboard/pages/quality/thresholds.ts'
import { QUALITY_MEASURES as ENGINE_MEASURES } from '../../engine/analysis/statistics/quality.ts'

/**
 * The dashboard computes no statistics: a number on a page comes from the server, so that clients and pages show the
 * same. What is looked for are the ways in which statistics came into it before.
 */
const DASHBOARD = new URL('../../dashboard/', import.meta.url)
const files = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(new URL(name, DASHBOARD), 'utf8') }))

/** Lines of code, without comments. */
const linesOf = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s)\/\/.*/, '').trim())
const findings = (isFound: (line: string) => boolean) =>
  files.flatMap(({ name, text }) =>
    linesOf(text)
      .filter(isFound)
      .map((line) => `${name}: ${line}`),
  )

test('the dashboard takes nothing from the engine and the server, not even types', () => {
  expect(findings((line) => /(?:from|import\() ?'[./]*\/(engine|server|worker|bin)\//.test(line))).toEqual([])
  expect(files.length).toBeGreaterThan(150)
})

test('the dashboard takes no statistics from d3', () => {
  const names =
    /\b(mean|median|quantile\w*|deviation|variance|sum|fsum|rollups?|bin|histogram|cumsum|mode|blur\w*|scaleQuantile)\b/
  expect(findings((line) => /^import .*'d3(-array|-scale)?'/.test(line) && names.test(line))).toEqual([])
  expect(findings((line) => /^import .*simple-statistics|jstat|stdlib|mathjs/.test(line))).toEqual([])
})

test('the dashboard has no functions for statistics of its own', () => {
  const made =
    /\b(?:function|const|let)\s+(mean|median|quantile|quartile|percentile|average|variance|deviation|sd|std|stdev|stddev)(Of)?\b/i
  expect(findings((line) => made.test(line))).toEqual([
    // The middle of two eyes, in a preview of what an import will read.
    "pages/bring-in/choices/sample-points.ts: const mean = (axis: 'x' | 'y') => seen.reduce((sum, eye) => sum + eye[axis], 0) / seen.length",
  ])
})

/** Divisions by how many there are that are no statistic of a study: drawing, sizes, order. */
const DIVIDED = [
  // A share of two counts that stand beside it.
  'figures/drop-out.tsx: people.total === 0 ? null : Math.round((10_000 * n) / people.total) / 100,',
  // How opaque something is drawn.
  'figures/gaze-time.tsx: fill-opacity={(0.12 + (0.88 * bin.inAoi[a]) / bin.n).toFixed(3)}',
  'pages/replay/draw-moment.ts: context.globalAlpha = isLit ? 0.18 + (0.42 * counts[a]) / n : 0.06',
  // The kernel of a picture adds up to 1.
  'core/colors/color-spline.ts: const t = (share - i / (colors.length - 1)) * (colors.length - 1)',
  'core/heat/kernel.ts: return { reach, kernel: values.map((value) => value / sum) }',
  // Which row comes first.
  'pages/quality/quality-table.tsx: return rows.sort((a, b) => b.out / b.tests - a.out / a.tests || lossOf(b) - lossOf(a))',
  // A share of the rows of a preview.
  'pages/bring-in/choices/look-again.ts: const share = (values: number[], is: (value: number) => boolean) => values.filter(is).length / values.length',
  // Where a row is drawn.
  'pages/bring-in/choices/trace-path.ts: const x = (i: number) => ((i / (values.length - 1)) * TRACE_WIDTH).toFixed(1)',
  // Widths.
  'pages/report/office/columns.ts: if (left < 0) return least.map((each) => (each * widthPt) / sum(least))',
  'pages/report/office/columns.ts: return least.map((each, c) => each + (left * wanted[c]) / sum(wanted))',
  'figures/bar-panels.tsx: const panelWidth = (width - left) / panels.length',
  'pages/operations/hour-figure.tsx: const step = (right - left) / bins.length',
  'pages/transitions/matrix.tsx: const cell = Math.max(CELL_MIN_PX, Math.min(CELL_MAX_PX, (width - NAME_PX) / n))',
  // Of a preview of what an import will read.
  "pages/bring-in/choices/sample-points.ts: const mean = (axis: 'x' | 'y') => seen.reduce((sum, eye) => sum + eye[axis], 0) / seen.length",
  'pages/bring-in/choices/screen-drawing.tsx: const share = decimal((100 * onScreen) / points.length)',
]

test('the dashboard divides by no count of what it counted, but to draw', () => {
  const divides =
    /[\w)\]] \/ \(?[\w.]*?(?:\.(?:length|(?<!view\.)size|n|count)|\b(?:n|count|counts|total|sum|tests|leaving|\w*Count))\b(?!\w)/
  expect(findings((line) => divides.test(line)).sort()).toEqual([...DIVIDED].sort())
  expect(findings((line) => /Math\.sqrt\(.*(reduce|sum|squares|variance)/i.test(line))).toEqual([])
})

test('the measures of the quality page are those of the server, in its order', () => {
  expect(SHOWN_MEASURES.map(({ column }) => column)).toEqual([...ENGINE_MEASURES])
})
