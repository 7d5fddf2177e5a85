import { expect, test } from 'vitest'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import type { ExportName } from '../../../engine/model/export-names.ts'
import { defaultParameters, type Parameters } from '../../../engine/model/parameters.ts'
import type { Snapshot } from '../../../engine/model/study.ts'
import { csvRows } from '../csv.ts'
import { participant, type Row, smallBundle, test as testRow, uuid } from '../import/bundles.ts'
import { importing, keptPool } from '../kept.ts'
import { exported } from '../studies.ts'

/** Three lines of four words of 100 × 64 px from (100, 100) on, on an item of 1000 × 500 px. */
const WORDS = [1, 2, 3].flatMap((line) => [1, 2, 3, 4].map((place) => ({ line, place })))
const ITEM = { widthPx: 1000, heightPx: 500 }
const DISPLAY = {
  ...{ browser_width_px: '1000', browser_height_px: '500', item_display_left_px: '0', item_display_top_px: '0' },
  ...{ item_display_width_px: '1000', item_display_height_px: '500' },
}

function aoisOf(words: { line: number; place: number; top: number }[]) {
  return words.map(({ line, place, top }, w) => ({
    id: uuid('a', w + 1),
    itemId: uuid('1', 1),
    name: `${line}.${place} word`,
    parts: [
      {
        areaPoints: { topLeft: { xPx: 100 * place, yPx: top }, bottomRight: { xPx: 100 * place + 100, yPx: top + 64 } },
      },
    ],
  }))
}
const BELOW = WORDS.map((word) => ({ ...word, top: 36 + 64 * word.line }))

/** Gaze rests for 200 ms in the middle of each word, 40 px too low; first it is far from the text. */
const RESTS = [[950, 450], ...WORDS.map(({ line, place }) => [100 * place + 50, 36 + 64 * line + 32 + 40])]

const imported = importing()
const pool = keptPool()
const snapshot = await studyOf(aoisOf(BELOW))

async function studyOf(aois: object[]): Promise<Snapshot> {
  const bundle = smallBundle()
  const row: Row = { ...testRow(1, 1, 1), ...DISPLAY }
  const items = bundle.study.items.map((item: object) => ({ ...item, ...ITEM }))
  return imported({
    ...bundle,
    study: { ...bundle.study, items, aois },
    participants: [participant(1)],
    tests: [row],
    samples: RESTS.flatMap(([x, y], rest) =>
      Array.from({ length: 20 }, (_, i) => ({
        test_id: row.test_id,
        t_ms: String(200 * rest + 10 * i),
        gaze_x_px: String(x),
        gaze_y_px: String(y),
      })),
    ),
  })
}

async function rowsOf(name: ExportName, given: Partial<Parameters>): Promise<Row[]> {
  return csvRows((await exported(pool, snapshot, name, { movingMedianRangeMs: 20, ...given })).csv)
}
const counts = async (given: Partial<Parameters>) =>
  (await rowsOf('reading', given)).map((row) => row.word_fixation_count).join('')

test('words have the fixations that an algorithm moves to their lines, by their place along the line', async () => {
  // As recorded, the fixations of a line are on the next, and those of the last on none.
  expect(await counts({})).toBe('000011111111')
  for (const lines of ['segment', 'slice', 'warp', 'vote'] as const)
    expect([lines, await counts({ lines })]).toEqual([lines, '111111111111'])
  // All means are nearer to the next line.
  expect(await counts({ lines: 'chain' })).toBe('000011112222')
  const [first, ...others] = await rowsOf('reading', { lines: 'slice' })
  expect([first, ...others].map((row) => row.word_skipped)).toEqual(Array(12).fill('false'))
  expect(first.notes).toContain('; lines = slice')
  const lines = await rowsOf('reading-lines', { lines: 'slice' })
  expect(lines.map((row) => row.line_fixation_count)).toEqual(['4', '4', '4'])
  expect(lines.map((row) => row.skipped_word_count)).toEqual(['0', '0', '0'])
})

test('fixations far from the text take no part, and neither do those before a time that reading begins at', async () => {
  // The first fixation is 450 px to the right of the text, more than 2 × 64 from it; with it, there were 13.
  const sum = async (given: Partial<Parameters>) =>
    [...(await counts(given))].reduce((all, each) => all + Number(each), 0)
  expect(await sum({ lines: 'attach' })).toBe(12)
  expect(await sum({ lines: 'attach', readingFrom: 1000 })).toBe(8)
  // From the second line on, segment begins on the first with what is left.
  expect(await counts({ lines: 'segment', readingFrom: 1000 })).toMatch(/^1/)
})

test('lines that are not below each other are refused by name, where words are measured', async () => {
  const columns = BELOW.map((word) => ({ ...word, top: word.line === 3 ? 100 : word.top }))
  const beside = await studyOf(aoisOf(columns))
  const planned = (exportName: ExportName) => () =>
    makePlan({
      snapshot: beside,
      exportName,
      parameters: { ...defaultParameters(), lines: 'warp' },
      formulaGuard: false,
    })
  expect(planned('reading')).toThrow('lines must be left out: line 3 of item-1.png is not below line 2, got warp')
  expect(planned('fixations')().parameters).not.toHaveProperty('lines')
})
