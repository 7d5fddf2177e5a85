import { ServiceError } from '../model/errors.ts'
import { makeBatch } from './batch.ts'
import { addTest, type Draft, itemOf, nextDisplayOrder, noteAssumed, noteLeft, participantOf } from './draft.ts'
import { stemOf } from './file-names.ts'
import type { Mapping } from './mapping.ts'
import type { Reader } from './reader.ts'
import { cellNumber, cellText, repeatedText } from './rows.ts'
import { sampleRows } from './sample-rows.ts'
import { needScreen, toPx } from './screen.ts'
import type { SourceFile } from './source-files.ts'
import { columnIn, tableHead } from './table.ts'
import { measured, noneUnreadable, noteUnreadable } from './unreadable.ts'

/** ms in a unit of the mapping. */
const UNIT_MS = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 }

/** Any table with a row per sample, read as a mapping file says (mapping.ts). */
export const generic: Reader = {
  name: 'generic',
  title: 'table of samples, by a mapping',
  recognises: (file, { mapping }) => mapping !== null && missingColumns(file, mapping)?.length === 0,
  async *read(files, _all, draft, { mapping, screen: given }) {
    if (mapping === null) throw new ServiceError('usage', 'a table of samples needs --mapping FILE')
    const screen = needScreen(mapping.screen, given, files[0].name, draft)
    const batch = makeBatch()
    const tests = new Map<string, number>()
    noteAssumed(draft, 'items were shown to each participant in the order in which their samples stand in the files')
    for (const file of files) {
      const { header, decimalMark } = tableHead(file)!
      const column = (name: string | null) => (name === null ? -1 : columnIn(header, name))
      const eyes = mapping.gaze.map(({ x, y, unit, valid }) => ({
        x: column(x),
        y: column(y),
        ...toPx(unit, mapping.origin, screen),
        isValid: validity(valid, column),
      }))
      const mouse = mapping.mouse && {
        x: column(mapping.mouse.x),
        y: column(mapping.mouse.y),
        ...toPx(mapping.mouse.unit, mapping.origin, screen),
      }
      const codes = mapping.missing.map(Number).filter((code) => !Number.isNaN(code))
      const [time, scroll, click] = [column(mapping.time.column), column(mapping.scroll), column(mapping.click)]
      const unitMs = UNIT_MS[mapping.time.unit]
      const participant = mapping.participant === null ? null : repeatedText(column(mapping.participant))
      const [item, trial] = [repeatedText(column(mapping.item)), repeatedText(column(mapping.trial))]
      const fileParticipant = stemOf(file.name)
      const unreadable = noneUnreadable()
      let [who, what, which] = ['', '', '']
      let test = -1
      let withoutTime = 0

      const findTest = (tMs: number): number => {
        const key = JSON.stringify([who, what, which])
        const known = tests.get(key)
        if (known !== undefined) return known
        const person = participantOf(draft, who)
        const made = addTest(draft, person, itemOf(draft, what), {
          displayOrder: nextDisplayOrder(draft, person),
          windowWidthPx: screen.widthPx,
          windowHeightPx: screen.heightPx,
          notes: which === '' ? '' : `trial ${which}`,
          onsetMs: mapping.time.origin === 'first' ? tMs : 0,
        })
        tests.set(key, made)
        return made
      }

      yield* sampleRows(file, draft, batch, (rows) => {
        const tMs = cellNumber(rows, time, decimalMark) * unitMs
        if (Number.isNaN(tMs)) {
          withoutTime++
          return
        }
        const nowWho = participant === null ? fileParticipant : participant(rows)
        const nowWhat = mapping.item === null ? 'item' : item(rows)
        const nowWhich = trial(rows)
        if (test < 0 || nowWho !== who || nowWhat !== what || nowWhich !== which) {
          who = nowWho
          what = nowWhat
          which = nowWhich
          test = findTest(tMs)
        }
        let [x, y, n] = [0, 0, 0]
        for (const eye of eyes) {
          const eyeX = measured(rows, eye.x, decimalMark, unreadable)
          const eyeY = measured(rows, eye.y, decimalMark, unreadable)
          if (eyeX - eyeX !== 0 || eyeY - eyeY !== 0) continue
          if (!codes.includes(eyeX) && !codes.includes(eyeY) && (eye.isValid === null || eye.isValid(rows))) {
            x += eyeX * eye.xScale + eye.xOffset
            y += eyeY * eye.yScale + eye.yOffset
            n++
          }
        }
        const i = batch.n++
        batch.test[i] = test
        batch.tMs[i] = tMs
        batch.gazeXPx[i] = n === 0 ? Number.NaN : x / n
        batch.gazeYPx[i] = n === 0 ? Number.NaN : y / n
        if (mouse) {
          batch.mouseXPx[i] = cellNumber(rows, mouse.x, decimalMark) * mouse.xScale + mouse.xOffset
          batch.mouseYPx[i] = cellNumber(rows, mouse.y, decimalMark) * mouse.yScale + mouse.yOffset
        }
        if (scroll >= 0) batch.scrollYPx[i] = cellNumber(rows, scroll, decimalMark)
        if (click >= 0) batch.isClick[i] = /^(true|1|yes)$/i.test(cellText(rows, click)) ? 1 : 0
      })
      noteLeft(draft, `rows of ${file.name} without a time`, withoutTime)
      noteUnreadable(draft, file.name, unreadable)
      noteOtherColumns(draft, header, mapping)
    }
    if (batch.n > 0) yield batch
  },
}

function validity(valid: Mapping['gaze'][number]['valid'], column: (name: string) => number) {
  if (valid === null) return null
  const text = repeatedText(column(valid.column))
  return (rows: Parameters<typeof text>[0]) => valid.values.includes(text(rows))
}

function mappedColumns(mapping: Mapping): string[] {
  const { participant, item, trial, time, gaze, mouse, scroll, click } = mapping
  const names = [participant, item, trial, time.column, scroll, click, mouse?.x, mouse?.y]
  for (const { x, y, valid } of gaze) names.push(x, y, valid?.column)
  return names.filter((name) => typeof name === 'string')
}

/** Columns of the mapping that the file does not have; null when it is no table. */
export function missingColumns(file: SourceFile, mapping: Mapping): string[] | null {
  const table = tableHead(file)
  return table && mappedColumns(mapping).filter((name) => columnIn(table.header, name) < 0)
}

function noteOtherColumns(draft: Draft, header: string[], mapping: Mapping): void {
  const mapped = mappedColumns(mapping).map((name) => name.toLowerCase())
  const others = header.filter((name) => name !== '' && !mapped.includes(name.toLowerCase()))
  if (others.length > 0) noteLeft(draft, `columns that the mapping does not name: ${others.join(', ')}`)
}
