import { ServiceError } from '../model/errors.ts'
import { UUID } from '../model/parameters.ts'
import type { DisplayRectangle } from '../model/study.ts'
import { BATCH_ROWS, makeBatch } from './batch.ts'
import { addTest, type Draft, type DraftParticipant, itemOf, noteAssumed, noteLeft, participantOf } from './draft.ts'
import { httpOr, unguarded, uuidOr } from './given-text.ts'
import { instantText } from './instant-text.ts'
import { numberIn } from './numbers.ts'
import type { Reader } from './reader.ts'
import { addAois, type Companions, isCompanion, readCompanions } from './reference-companions.ts'
import { cellText, openRows, type Rows } from './rows.ts'
import { columnIn, tableHead } from './table.ts'
import { readTuples } from './tuples.ts'

/** A spreadsheet's cell holds no more characters. */
const SPREADSHEET_CELL = 32_767

/**
 * The raw gazes of the reference platform, and our own `gazes-raw`: a row per test, whose `test_raw_data` is a JSON array of
 * `[x, y, t, scrollY, mouseX, mouseY]`, with a seventh `true` on a click. px from the upper left of the window, t in ms since the
 * item's onset, `null` where lost. Its columns are called `tester_…` in the older generation, `participant_…` in the newer.
 */
export const referencePlatform: Reader = {
  name: 'reference',
  title: "the reference platform's raw gazes",
  recognises: (file) => {
    const header = tableHead(file)?.header ?? []
    return columnIn(header, 'test_raw_data') >= 0 && columnIn(header, 'participant_id', 'tester_id') >= 0
  },
  async *read(files, all, draft) {
    const companions = await readCompanions(
      all.filter((file) => !files.includes(file) && isCompanion(file)),
      draft,
    )
    const batch = makeBatch()
    const seen = new Set<string>()
    const scrolled = new Set<number>()
    for (const file of files) {
      const { header, separator } = tableHead(file)!
      const columns = findColumns(header)
      const rows = openRows(file, separator, draft)
      let [spreadsheetCuts, otherCuts, doubled] = [0, 0, 0]
      await rows.more()
      rows.next()
      rows.width = header.length
      do {
        while (rows.next()) {
          const testId = cellText(rows, columns.test)
          if (testId !== '' && seen.has(testId)) {
            doubled++
            continue
          }
          seen.add(testId)
          const test = testOf(rows, columns, companions, draft)
          const [start, end] = [rows.starts[columns.data], rows.ends[columns.data]]
          if (start === end) continue
          const tuples = readTuples(rows.bytes, start, end, 7)
          const { values } = tuples
          while (tuples.next()) {
            const { count } = tuples
            if (count < 3) throw broken(file.name, rows.line, 'has a tuple of fewer than three values')
            if (Number.isNaN(values[2])) continue
            const i = batch.n++
            batch.test[i] = test
            batch.gazeXPx[i] = values[0]
            batch.gazeYPx[i] = values[1]
            batch.tMs[i] = values[2]
            batch.scrollYPx[i] = count > 3 ? values[3] : Number.NaN
            batch.mouseXPx[i] = count > 4 ? values[4] : Number.NaN
            batch.mouseYPx[i] = count > 5 ? values[5] : Number.NaN
            batch.isClick[i] = count > 6 && values[6] === 1 ? 1 : 0
            if (count > 3 && values[3] !== 0) scrolled.add(test)
            if (batch.n === BATCH_ROWS) {
              yield batch
              batch.n = 0
            }
          }
          if (tuples.end === 'broken') throw broken(file.name, rows.line, 'is no JSON array of tuples')
          if (tuples.end === 'cut' && end - start >= SPREADSHEET_CELL - 1) spreadsheetCuts++
          else if (tuples.end === 'cut') otherCuts++
        }
      } while (await rows.more())
      noteLeft(draft, `tests of ${file.name} that were there already`, doubled)
      noteLeft(
        draft,
        `ends of test_raw_data in ${file.name} that a spreadsheet has cut at 32,767 characters; the whole tuples before are kept`,
        spreadsheetCuts,
      )
      noteLeft(draft, `ends of test_raw_data in ${file.name} that are cut; the whole tuples before are kept`, otherCuts)
    }
    addAois(draft, companions)
    placeItems(draft, scrolled)
    if (batch.n > 0) yield batch
  },
}

function broken(file: string, line: number, what: string): ServiceError {
  return new ServiceError('invalid_bundle', `${file}, line ${line}: test_raw_data ${what}`)
}

type Columns = ReturnType<typeof findColumns>

function findColumns(header: string[]) {
  const find = (...names: string[]) => columnIn(header, ...names)
  const person = (name: string) => find(`participant_${name}`, `tester_${name}`)
  return {
    study: find('study_id'),
    participant: person('id'),
    externalId: person('external_id'),
    displayName: person('display_name'),
    age: person('age'),
    gender: person('gender'),
    displayGender: person('display_gender'),
    grade: person('quality_grade'),
    gradeItem: person('quality_grade_item'),
    item: find('item_id'),
    filename: find('item_filename'),
    cdnUrl: find('item_cdn_url'),
    test: find('test_id'),
    createdAt: find('test_created_at'),
    durationMs: find('test_duration_ms', 'test_duration'),
    windowWidth: find('test_browser_width_px', 'test_browser_width'),
    windowHeight: find('test_browser_height_px', 'test_browser_height'),
    displayOrder: find('test_item_display_order'),
    data: find('test_raw_data'),
    left: find('item_display_left_px'),
    top: find('item_display_top_px'),
    width: find('item_display_width_px'),
    height: find('item_display_height_px'),
  }
}

function testOf(rows: Rows, columns: Columns, companions: Companions, draft: Draft): number {
  const text = (column: number) => unguarded(cellText(rows, column))
  const number = (column: number) => finite(numberIn(text(column)))
  const studyId = text(columns.study)
  if (UUID.test(studyId)) draft.studyId ??= studyId.toLowerCase()
  const key = text(columns.participant)
  const participant = participantOf(draft, key, {
    ...personFacts(key, text, number, columns),
    ...companions.participants.get(key),
  })
  const itemKey = text(columns.item)
  const found = companions.items.get(itemKey)
  const item = itemOf(draft, itemKey, {
    id: uuidOr(itemKey),
    filename: text(columns.filename) || found?.filename || itemKey,
    cdnUrl: httpOr(text(columns.cdnUrl) || found?.cdnUrl || ''),
    stimuliDurationMs: found?.stimuliDurationMs ?? null,
  })
  const { instant, isUtcAssumed } = instantText(text(columns.createdAt))
  if (isUtcAssumed) noteAssumed(draft, 'test_created_at without an offset is UTC')
  const place = [columns.left, columns.top, columns.width, columns.height].map(number)
  const [leftPx, topPx, widthPx, heightPx] = place
  return addTest(draft, participant, item, {
    id: uuidOr(text(columns.test)),
    createdAt: instant,
    displayOrder: number(columns.displayOrder),
    durationMs: number(columns.durationMs),
    qualityGradeItem: gradeOr(number(columns.gradeItem)),
    windowWidthPx: number(columns.windowWidth) || null,
    windowHeightPx: number(columns.windowHeight) || null,
    display: place.every((value) => value !== null) ? ({ leftPx, topPx, widthPx, heightPx } as DisplayRectangle) : null,
    ...companions.tests.get(JSON.stringify([key, itemKey])),
  })
}

function personFacts(
  key: string,
  text: (column: number) => string,
  number: (column: number) => number | null,
  columns: Columns,
): Partial<DraftParticipant> {
  const gender = number(columns.gender)
  const displayGender = text(columns.displayGender)
  const displayName = text(columns.displayName)
  return {
    id: uuidOr(key),
    // A UUID says nothing to the lab; any other id is the lab's own name.
    externalId: text(columns.externalId) || (UUID.test(key) ? '' : key),
    displayName: displayName === 'Anonymous' ? '' : displayName,
    age: number(columns.age) || null,
    gender: gender === 0 || gender === 1 || gender === 2 ? gender : null,
    displayGender: displayGender === 'unknown' ? '' : displayGender,
    qualityGrade: gradeOr(number(columns.grade)),
  }
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

function gradeOr(value: number | null): number | null {
  return value !== null && Number.isInteger(value) && value >= 1 && value <= 6 ? value : null
}

/**
 * Where an item was shown, for tests that do not say: what is known of its size is import's to apply (SPEC section 2), but for a
 * scrolled item, of which import learns from the flow, which is not in these files.
 */
function placeItems(draft: Draft, scrolled: Set<number>): void {
  const scrolledItems = new Set([...scrolled].map((test) => draft.tests[test].item))
  for (const test of draft.tests) {
    if (test.display !== null || test.windowWidthPx === null) continue
    const { widthPx, heightPx } = draft.items[test.item]
    if (widthPx === null || heightPx === null || !scrolledItems.has(test.item)) continue
    noteAssumed(draft, 'an item that somebody scrolled was as wide as the window')
    const scale = test.windowWidthPx / widthPx
    test.display = { leftPx: 0, topPx: 0, widthPx: test.windowWidthPx, heightPx: heightPx * scale }
  }
}
