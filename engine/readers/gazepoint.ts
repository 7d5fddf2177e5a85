import { makeBatch } from './batch.ts'
import { addTest, itemOf, noteAssumed, noteLeft, participantOf } from './draft.ts'
import { stemOf } from './file-names.ts'
import { COMMA, numberIn } from './numbers.ts'
import type { Reader } from './reader.ts'
import { cellNumber, repeatedText } from './rows.ts'
import { sampleRows } from './sample-rows.ts'
import { USUAL_SCREEN } from './screen.ts'
import { columnIn, type TableHead, tableHead } from './table.ts'
import { measured, noneUnreadable, noteUnreadable } from './unreadable.ts'

/**
 * Gazepoint Analysis' all-gaze export and what the Open Gaze API sends, as CSV: a row per sample, gaze and cursor in fractions of the
 * screen from its upper left, seconds. BPOG is the best point of gaze, FPOG the fixation's; V is 0 where it is not valid. A test is one
 * run of rows with the same medium, which restarts TIME in newer versions, so that times count from its first row.
 */
export const gazepoint: Reader = {
  name: 'gazepoint',
  title: 'Gazepoint CSV',
  recognises: (file) => {
    const header = tableHead(file)?.header ?? []
    const has = (...names: string[]) => columnIn(header, ...names) >= 0
    return timeColumn(header) >= 0 && has('BPOGX', 'FPOGX') && has('BPOGY', 'FPOGY') && !isOfFixations(tableHead(file)!)
  },
  async *read(files, _all, draft, { screen: given }) {
    const screen = given ?? USUAL_SCREEN
    if (!given)
      noteAssumed(draft, `the screen had ${screen.widthPx} × ${screen.heightPx} px, which only lengths in px depend on`)
    noteAssumed(draft, 'each file is one participant, called as the file')
    const batch = makeBatch()
    for (const file of files) {
      const { header, decimalMark } = tableHead(file)!
      const prefix = columnIn(header, 'BPOGX') >= 0 ? 'BPOG' : 'FPOG'
      const [time, x, y] = [timeColumn(header), columnIn(header, `${prefix}X`), columnIn(header, `${prefix}Y`)]
      const [valid, cursorX, cursorY] = [`${prefix}V`, 'CX', 'CY'].map((name) => columnIn(header, name))
      const media = repeatedText(columnIn(header, 'MEDIA_NAME'))
      const mediaId = repeatedText(columnIn(header, 'MEDIA_ID'))
      const button = repeatedText(columnIn(header, 'CS'))
      const participant = participantOf(
        draft,
        stemOf(file.name).replace(/[_ -]?all[_ -]?gaze$/i, '') || stemOf(file.name),
      )
      const unreadable = noneUnreadable()
      let [medium, id] = ['', '']
      let [test, order, withoutTime, invalid] = [-1, 0, 0, 0]
      let isDown = false
      yield* sampleRows(file, draft, batch, (rows) => {
        const tMs = cellNumber(rows, time, decimalMark) * 1000
        if (Number.isNaN(tMs)) {
          withoutTime++
          return
        }
        if (test < 0 || media(rows) !== medium || mediaId(rows) !== id) {
          medium = media(rows)
          id = mediaId(rows)
          test = addTest(draft, participant, itemOf(draft, medium || (id === '' ? 'screen' : `media ${id}`)), {
            displayOrder: ++order,
            windowWidthPx: screen.widthPx,
            windowHeightPx: screen.heightPx,
            onsetMs: tMs,
          })
        }
        const i = batch.n++
        batch.test[i] = test
        batch.tMs[i] = tMs
        const gazeX = measured(rows, x, decimalMark, unreadable)
        const gazeY = measured(rows, y, decimalMark, unreadable)
        const isLost = valid >= 0 && cellNumber(rows, valid, COMMA) === 0
        if (isLost) invalid++
        batch.gazeXPx[i] = isLost ? Number.NaN : gazeX * screen.widthPx
        batch.gazeYPx[i] = isLost ? Number.NaN : gazeY * screen.heightPx
        batch.mouseXPx[i] = cellNumber(rows, cursorX, decimalMark) * screen.widthPx
        batch.mouseYPx[i] = cellNumber(rows, cursorY, decimalMark) * screen.heightPx
        // 1 and 2: the left and the right button go down.
        const wasDown = isDown
        isDown = button(rows) === '1' || button(rows) === '2'
        batch.isClick[i] = isDown && !wasDown ? 1 : 0
      })
      noteLeft(draft, `gaze points of ${file.name} that are not valid (${prefix}V is 0)`, invalid)
      noteLeft(draft, `rows of ${file.name} without a time`, withoutTime)
      noteUnreadable(draft, file.name, unreadable)
    }
    if (batch.n > 0) yield batch
  },
}

/** "TIME", and "TIME(2026/01/01 10:00:00.000)" with when the recording began. */
function timeColumn(header: string[]): number {
  return header.findIndex((name) => /^TIME(\(|$)/i.test(name))
}

/** The export of fixations has the columns of the export of samples, but a row for each fixation. */
function isOfFixations({ header, rows, decimalMark }: TableHead): boolean {
  const [id, time] = [columnIn(header, 'FPOGID'), timeColumn(header)]
  if (id < 0 || rows.length < 3) return false
  const times = rows.map((cells) => numberIn(cells[time] ?? '', decimalMark))
  const steps = times.slice(1).map((t, i) => Math.abs(t - times[i]))
  const median = steps.sort((a, b) => a - b)[steps.length >> 1]
  return median > 0.06 && new Set(rows.map((cells) => cells[id])).size === rows.length
}
