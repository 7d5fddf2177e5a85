import { makeBatch } from './batch.ts'
import { addTest, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from './draft.ts'
import { stemOf } from './file-names.ts'
import type { Reader, Screen } from './reader.ts'
import { cellNumber, cellText, repeatedText } from './rows.ts'
import { sampleRows } from './sample-rows.ts'
import { needScreen } from './screen.ts'
import { columnIn, tableHead } from './table.ts'
import { measured, noneUnreadable, noteUnreadable } from './unreadable.ts'

/**
 * Gorilla's eye-tracking files (WebGazer): rows of type `prediction` are samples, in px of the browser's window with y growing
 * upwards from its lower edge, in ms since the screen's start; rows of type `zone` place areas, of which `screen` is the window. A
 * test is one screen of one row of the experiment's spreadsheet.
 */
export const gorilla: Reader = {
  name: 'gorilla',
  title: 'Gorilla eye tracking',
  recognises: (file) => {
    const header = tableHead(file)?.header ?? []
    return ['type', 'x_pred', 'y_pred', 'time_elapsed'].every((name) => columnIn(header, name) >= 0)
  },
  async *read(files, _all, draft, { screen: given }) {
    const batch = makeBatch()
    const tests = new Map<string, number>()
    noteAssumed(draft, "Gorilla's y grows upwards from the window's lower edge")
    for (const file of files) {
      const { header, decimalMark } = tableHead(file)!
      const column = (...names: string[]) => columnIn(header, ...names)
      const [time, x, y] = [column('time_elapsed'), column('x_pred'), column('y_pred')]
      const type = repeatedText(column('type'))
      const participant = repeatedText(column('participant_id', 'participant private id', 'participant_private_id'))
      const row = repeatedText(column('spreadsheet_row'))
      const screenIndex = repeatedText(column('screen_index'))
      const [zone, width, height] = [column('zone_name'), column('zone_width'), column('zone_height')]
      const unreadable = noneUnreadable()
      let said: Screen | null = null
      let window: Screen | null = null
      let [who, which, where] = ['', '', '']
      let [test, withoutTime, others] = [-1, 0, 0]
      yield* sampleRows(file, draft, batch, (rows) => {
        if (type(rows) !== 'prediction') {
          others++
          if (type(rows) !== 'zone' || cellText(rows, zone).toLowerCase() !== 'screen') return
          const widthPx = cellNumber(rows, width, decimalMark)
          const heightPx = cellNumber(rows, height, decimalMark)
          if (!(widthPx >= 1 && heightPx >= 1)) return
          said = { widthPx, heightPx }
          window = null
          return
        }
        const tMs = cellNumber(rows, time, decimalMark)
        if (Number.isNaN(tMs)) {
          withoutTime++
          return
        }
        const [nowWho, nowWhich, nowWhere] = [participant(rows), row(rows), screenIndex(rows)]
        window ??= needScreen(said, given, file.name, draft)
        if (test < 0 || nowWho !== who || nowWhich !== which || nowWhere !== where) {
          who = nowWho
          which = nowWhich
          where = nowWhere
          const person = participantOf(draft, who || stemOf(file.name))
          const name = `row ${which}${where === '' ? '' : `, screen ${where}`}`
          const key = JSON.stringify([person, name])
          test =
            tests.get(key) ??
            addTest(draft, person, itemOf(draft, name), {
              windowWidthPx: window.widthPx,
              windowHeightPx: window.heightPx,
              displayOrder: nextDisplayOrder(draft, person),
            })
          tests.set(key, test)
        }
        const i = batch.n++
        batch.test[i] = test
        batch.tMs[i] = tMs
        const gazeX = measured(rows, x, decimalMark, unreadable)
        const gazeY = measured(rows, y, decimalMark, unreadable)
        batch.gazeXPx[i] = gazeX
        batch.gazeYPx[i] = window.heightPx - gazeY
      })
      noteLeft(
        draft,
        `rows of ${file.name} that are no predictions (calibration, zones, starts and ends of screens)`,
        others,
      )
      noteLeft(draft, `rows of ${file.name} without a time`, withoutTime)
      noteUnreadable(draft, file.name, unreadable)
    }
    if (batch.n > 0) yield batch
  },
}
