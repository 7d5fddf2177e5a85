import { READING_MEASURES } from '../../../isomorphic/measures.ts'
import { readWordName } from '../../../isomorphic/word-names.ts'
import { wordsOf } from '../../compute/reading.ts'
import { refusedParameter } from '../../model/errors.ts'
import type { LineMethod } from '../../model/parameters.ts'
import { printedOrNull } from '../../text/cells.ts'
import { describe } from '../statistics/descriptive.ts'
import { type ParticipantValues, valuesOfParticipants } from '../statistics/measures.ts'
import { type ChartRun, type ChartSubject, compute } from './answer-chart.ts'
import { valueOfCell } from './comparisons-answer.ts'
import { tableColumns } from './table-answer.ts'
import { printTable, type TablePart } from './table-preview.ts'

const ROWS_MAX = 1_000_000
const COLUMNS = ['participant_id', 'aoi_id', ...READING_MEASURES.map(({ column }) => column)]

/**
 * Averages the reading measures of each word of an item over participants: docs/reading.md, "Averages over readers".
 *
 * @returns by measure, by word: mean over the participants with a value, its standard deviation and n
 * @throws ServiceError invalid_param for more rows of words than are averaged
 */
export async function readingAnswer(subject: ChartSubject, run: ChartRun) {
  const { snapshot, item, parameters } = subject
  const { head, part, plan } = await compute<TablePart>(subject, run, {
    kind: 'table',
    export: 'reading',
    rowsMax: ROWS_MAX + 1,
    columns: COLUMNS,
    ofViewers: true,
  })
  if (part.n > ROWS_MAX) {
    const rule = `must keep fewer tests: these have more than ${ROWS_MAX} rows of words`
    throw refusedParameter({ parameter: 'filter', rule, value: parameters.filter ?? '' })
  }
  const aois = snapshot.study.aois.filter(({ itemId }) => itemId === item.id)
  const words = wordsOf(aois.map(({ name }) => name)).map(({ aoi }) => aois[aoi])
  const wordOfAoi = new Map(words.map(({ id }, w) => [id, w]))
  const rows = printTable(part, plan, snapshot, { columns: COLUMNS })
  const people = words.map((): string[] => [])
  const values = READING_MEASURES.map(() => words.map((): number[] => []))
  const columns = tableColumns(plan, snapshot).filter((name) => COLUMNS.includes(name))
  const [who, aoi, ...at] = COLUMNS.map((name) => columns.indexOf(name))
  for (const row of rows) {
    const w = wordOfAoi.get(row[aoi])!
    people[w].push(row[who])
    for (const [m, own] of values.entries()) own[w].push(valueOfCell(row[at[m]]))
  }
  return {
    ...head,
    methods: part.n === 0 ? NONE_AVERAGED : methodsOf(words.length, parameters.lines),
    words: words.map(({ id, name }) => ({ aoiId: id, ...readWordName(name)! })),
    measures: READING_MEASURES.map(({ column }, m) => {
      const own = values[m].map((of, w) => valuesOfParticipants(people[w], Float64Array.from(of)))
      const described = own.map((of) => describe(of.values))
      return {
        column,
        n: described.map(({ n }) => n),
        means: described.map(({ mean }) => printedOrNull(mean)),
        sds: described.map(({ sd }) => printedOrNull(sd)),
        ofText: meanOfText(own),
      }
    }),
  }
}

/** Returns the mean over participants of their means over words. @param words values of participants, by word */
function meanOfText(words: ParticipantValues[]) {
  const people = words.flatMap(({ participantIds }) => participantIds)
  const values = Float64Array.from(words.flatMap((word) => [...word.values]))
  const { n, mean, sd } = describe(valuesOfParticipants(people, values).values)
  return { n, mean: printedOrNull(mean), sd: printedOrNull(sd) }
}

const NONE_AVERAGED = 'No reading measures were averaged, since no test that is kept is of an item with words.'

/** Returns sentences for a methods section. */
function methodsOf(words: number, lines: LineMethod | undefined): string {
  const assigned =
    lines === undefined
      ? ''
      : ` Fixations were first assigned to lines by “${lines}” (Carr et al., 2022, doi:10.3758/s13428-021-01554-0).`
  return (
    `Reading measures of ${words} words (Rayner, 1998, doi:10.1037/0033-2909.124.3.372; Inhoff & Radach, 1998, ` +
    'doi:10.1016/B978-008043361-5/50003-1) were averaged over the tests of each participant, then over participants; ' +
    `measures of the first pass over those who fixated the word in first pass.${assigned}`
  )
}
