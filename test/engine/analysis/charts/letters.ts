import { participant, smallBundle, test as testRow } from '../../import/bundles.ts'
import { importedStudy, rectangle } from '../../kept.ts'

/** Positions of gaze in the AOIs Target and Other; any other letter is gaze elsewhere. */
const X_PX: Record<string, string> = { T: '50', O: '250' }

/** Imports a study of one item for the tests of a file: for each participant, a letter for each sample. */
export function importedLetters(gaze: string[], stepMs: number) {
  const bundle = smallBundle()
  const tests = gaze.map((_, i) => testRow(i + 1, i + 1, 1))
  return importedStudy({
    ...bundle,
    study: { ...bundle.study, aois: [rectangle(1, 'Target', 0), rectangle(2, 'Other', 200)] },
    participants: gaze.map((_, i) => participant(i + 1, { age: String(21 + i) })),
    tests,
    samples: gaze.flatMap((letters, t) =>
      [...letters].map((letter, i) => ({
        test_id: tests[t].test_id,
        t_ms: String(i * stepMs),
        gaze_x_px: X_PX[letter] ?? '450',
        gaze_y_px: '400',
      })),
    ),
  })
}
