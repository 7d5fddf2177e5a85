import { participant, type Row, smallBundle, test as testRow, uuid } from '../../import/bundles.ts'

/** Words of a text: line, place, and the word itself. */
export const TEXT_WORDS: [line: number, place: number, text: string][] = [
  [1, 1, 'The'],
  [1, 2, 'old'],
  [1, 3, 'fox'],
  [2, 1, 'ran'],
  [2, 2, 'away'],
]

/** Indexes of the words that each reader looks at, in their order, 200 ms each. */
const READERS = [
  [0, 1, 2, 3, 4],
  [0, 2, 1, 3],
  [2, 4],
]

const leftOf = (place: number) => 100 + 200 * (place - 1)
const topOf = (line: number) => 100 * line

/** Three readers of a text of two lines, on an item of 1000 × 500 px; words are boxes of 200 × 60 px. */
export function textBundle() {
  const { study, ...rest } = smallBundle()
  const tests = READERS.map(
    (_, r): Row => ({
      ...testRow(r + 1, r + 1, 1),
      ...{ browser_width_px: '1000', browser_height_px: '500', item_display_left_px: '0', item_display_top_px: '0' },
      ...{ item_display_width_px: '1000', item_display_height_px: '500' },
    }),
  )
  return {
    ...rest,
    study: {
      ...study,
      items: study.items.map((item: object) => ({ ...item, widthPx: 1000, heightPx: 500 })),
      aois: TEXT_WORDS.map(([line, place, text], w) => ({
        id: uuid('a', w + 1),
        itemId: uuid('1', 1),
        name: `${line}.${place} ${text}`,
        parts: [
          {
            areaPoints: {
              topLeft: { xPx: leftOf(place), yPx: topOf(line) },
              bottomRight: { xPx: leftOf(place) + 200, yPx: topOf(line) + 60 },
            },
          },
        ],
      })),
    },
    participants: READERS.map((_, r) => participant(r + 1, { external_id: `P${r + 1}` })),
    tests,
    samples: READERS.flatMap((words, r) =>
      words.flatMap((w, at) =>
        Array.from({ length: 20 }, (_, i) => ({
          test_id: tests[r].test_id,
          t_ms: String(200 * at + 10 * i),
          gaze_x_px: String(leftOf(TEXT_WORDS[w][1]) + 60),
          gaze_y_px: String(topOf(TEXT_WORDS[w][0]) + 30),
        })),
      ),
    ),
  }
}
