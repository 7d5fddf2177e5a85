import { meanOfEyesAt } from '../../compute/eyes.ts'
import type { EyeColumn } from '../../model/eye-columns.ts'
import { BATCH_ROWS, type Batch, eyeColumn } from '../draft/batch.ts'
import { type Draft, noteAssumed } from '../draft/draft.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import { columnIn, tableHead } from '../text/foreign-table.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow, openTableBody } from '../text/table-body.ts'
import { cellNumber, cellText, repeatedText } from '../text/table-rows.ts'

/** Columns of each eye in the table of samples of our own packages. */
const EYES: [string, EyeColumn][] = [
  ['left_gaze_x_px', 'leftGazeXPx'],
  ['left_gaze_y_px', 'leftGazeYPx'],
  ['right_gaze_x_px', 'rightGazeXPx'],
  ['right_gaze_y_px', 'rightGazeYPx'],
  ['left_pupil', 'leftPupil'],
  ['right_pupil', 'rightPupil'],
  ['left_eye_distance_mm', 'leftEyeDistanceMm'],
  ['right_eye_distance_mm', 'rightEyeDistanceMm'],
]

/** Finds the table of samples with each eye, as in our own packages: the raw gazes beside it have none. */
export function findEyeTable(files: SourceFile[]): SourceFile | null {
  const isOne = (file: SourceFile) => {
    const header = tableHead(file)?.header ?? []
    const has = (name: string) => columnIn(header, name) >= 0
    return ['test_id', 't_ms', 'gaze_x_px', 'gaze_y_px'].every(has) && EYES.some(([name]) => has(name))
  }
  return files.find(isOne) ?? null
}

/** Counts the samples of each test in a table of samples, by the test's id. */
export async function countEyeSamples(table: SourceFile, draft: Draft): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const test = repeatedText(columnIn(tableHead(table)!.header, 'test_id'))
  await forEachRow(table, draft, (rows) => counts.set(test(rows), (counts.get(test(rows)) ?? 0) + 1))
  return counts
}

/** Smallest and largest pupils, in mm: other units have larger numbers. */
const [PUPIL_LEAST_MM, PUPIL_MOST_MM] = [1, 9.5]
/** Largest distance of the recorded gaze from the mean of both eyes, in px, that digits explain. */
const MEAN_PX = 0.01

/**
 * Reads the samples of some tests from a table of samples, with each eye.
 *
 * @param tests indexes of tests in the draft, by their ids @param scrolled receives the tests that were scrolled
 */
export async function* readEyeSamples(
  table: SourceFile,
  tests: Map<string, number>,
  scrolled: Set<number>,
  draft: Draft,
  batch: Batch,
): AsyncGenerator<Batch> {
  const { header, decimalMark } = tableHead(table)!
  const at = (name: string) => columnIn(header, name)
  const test = repeatedText(at('test_id'))
  const [t, x, y, scroll, mouseX, mouseY, click] = [
    ...['t_ms', 'gaze_x_px', 'gaze_y_px', 'scroll_y_px', 'mouse_x_px', 'mouse_y_px', 'is_click'].map(at),
  ]
  const eyes = EYES.flatMap(([name, column]) =>
    at(name) < 0 ? [] : [{ cell: at(name), column, values: eyeColumn(batch, column) }],
  )
  for (const { values } of eyes) values.fill(Number.NaN, 0, batch.n)
  const found = { isMean: true, both: 0, areMm: true, pupils: 0 }
  const rows = await openTableBody(table, draft)
  const number = (cell: number) => (cell < 0 ? Number.NaN : cellNumber(rows, cell, decimalMark))
  const [meanX, meanY] = [new Float64Array(BATCH_ROWS), new Float64Array(BATCH_ROWS)]
  do {
    while (rows.next()) {
      const index = tests.get(test(rows))
      if (index === undefined) continue
      const i = batch.n++
      batch.test[i] = index
      batch.tMs[i] = number(t)
      batch.gazeXPx[i] = number(x)
      batch.gazeYPx[i] = number(y)
      batch.scrollYPx[i] = number(scroll)
      batch.mouseXPx[i] = number(mouseX)
      batch.mouseYPx[i] = number(mouseY)
      batch.isClick[i] = click >= 0 && cellText(rows, click) === 'true' ? 1 : 0
      if (batch.scrollYPx[i] > 0) scrolled.add(index)
      for (const { cell, column, values } of eyes) {
        values[i] = number(cell)
        if (!column.endsWith('Pupil') || !(values[i] > 0)) continue
        found.pupils++
        found.areMm &&= values[i] >= PUPIL_LEAST_MM && values[i] <= PUPIL_MOST_MM
      }
      const isBoth = (batch.eyes.leftGazeXPx?.[i] ?? Number.NaN) - (batch.eyes.rightGazeXPx?.[i] ?? Number.NaN)
      if (isBoth - isBoth === 0) {
        found.both++
        meanOfEyesAt(batch.eyes, i, meanX, meanY)
        found.isMean &&= Math.abs(meanX[i] - batch.gazeXPx[i]) + Math.abs(meanY[i] - batch.gazeYPx[i]) <= MEAN_PX
      }
      if (batch.n < BATCH_ROWS) continue
      yield batch
      batch.n = 0
    }
  } while (await rows.more())
  if (found.both > 0 && found.isMean) draft.eyes.add('both')
  if (found.pupils === 0 || !found.areMm) return
  noteRecording(draft, { pupilUnit: 'mm' })
  noteAssumed(draft, 'pupil sizes between 1 and 9.5 are in mm')
}
