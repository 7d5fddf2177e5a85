import { makeBatch } from './batch.ts'
import { addTest, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from './draft.ts'
import type { Reader } from './reader.ts'
import { cellNumber, repeatedText } from './rows.ts'
import { sampleRows } from './sample-rows.ts'
import { columnIn, tableHead } from './table.ts'
import { measured, noneUnreadable, noteUnreadable } from './unreadable.ts'

/** Labvanced lays every frame out in its own units, whatever the screen. */
const FRAME = { widthPx: 800, heightPx: 450 }

/**
 * Labvanced's time series of gaze: a row per sample, x and y in units of the frame (800 × 450 by default) from its upper left, `t`
 * the camera's time and `times` the row's, both in ms since 1970, `c` a confidence of 0 to 1. A test is one trial of one task; its
 * onset is its first row.
 */
export const labvanced: Reader = {
  name: 'labvanced',
  title: 'Labvanced time series',
  recognises: (file) => {
    const header = tableHead(file)?.header ?? []
    return ['exp_subject_id', 'Task_Name', 'Trial_Nr', 'x', 'y', 't'].every((name) => columnIn(header, name) >= 0)
  },
  async *read(files, _all, draft, { screen }) {
    const frame = screen ?? FRAME
    if (!screen) noteAssumed(draft, `positions are in Labvanced's frame of ${FRAME.widthPx} × ${FRAME.heightPx} units`)
    noteAssumed(draft, "an item's onset is its trial's first row")
    const batch = makeBatch()
    const tests = new Map<string, number>()
    for (const file of files) {
      const { header, decimalMark } = tableHead(file)!
      const column = (name: string) => columnIn(header, name)
      const [time, written, x, y] = [column('t'), column('times'), column('x'), column('y')]
      const subject = repeatedText(column('exp_subject_id'))
      const session = repeatedText(column('session_nr'))
      const block = repeatedText(column('Block_Name'))
      const task = repeatedText(column('Task_Name'))
      const trial = repeatedText(column('Trial_Nr'))
      const variable = repeatedText(column('variable_name'))
      const unreadable = noneUnreadable()
      const variables = new Set<string>()
      let last = ['', '', '', '', '', '']
      let [test, withoutTime] = [-1, 0]
      yield* sampleRows(file, draft, batch, (rows) => {
        // A row whose gaze is lost has no t either.
        let tMs = cellNumber(rows, time, decimalMark)
        if (Number.isNaN(tMs)) tMs = cellNumber(rows, written, decimalMark)
        if (Number.isNaN(tMs)) {
          withoutTime++
          return
        }
        const now = [subject(rows), session(rows), block(rows), task(rows), trial(rows), variable(rows)]
        if (test < 0 || now.some((text, i) => text !== last[i])) {
          last = now
          variables.add(now[5])
          const key = JSON.stringify(now)
          const known = tests.get(key)
          if (known === undefined) {
            const person = participantOf(draft, now[0])
            const displayOrder = nextDisplayOrder(draft, person)
            const item = itemOf(draft, `${now[3]} ${now[4]}`)
            const size = { windowWidthPx: frame.widthPx, windowHeightPx: frame.heightPx }
            const notes = now[1] === '' || now[1] === '1' ? '' : `session ${now[1]}`
            test = addTest(draft, person, item, { ...size, displayOrder, onsetMs: tMs, notes })
            tests.set(key, test)
          } else test = known
        }
        const i = batch.n++
        batch.test[i] = test
        batch.tMs[i] = tMs
        const gazeX = measured(rows, x, decimalMark, unreadable)
        const gazeY = measured(rows, y, decimalMark, unreadable)
        batch.gazeXPx[i] = gazeX
        batch.gazeYPx[i] = gazeY
      })
      if (variables.size > 1) noteAssumed(draft, `each of ${[...variables].join(', ')} is a recording of its own`)
      noteLeft(draft, `rows of ${file.name} without a time`, withoutTime)
      noteUnreadable(draft, file.name, unreadable)
    }
    noteLeft(draft, "the tracker's confidence (c), which no export has")
    if (batch.n > 0) yield batch
  },
}
