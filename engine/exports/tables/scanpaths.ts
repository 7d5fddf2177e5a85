import { aoiString } from '../../compute/scanpath.ts'
import { type Cells, column, fractions, type Rows, type Value, wholes } from '../../model/columns.ts'
import { personalColumns } from '../columns/columns-of.ts'
import type { ExportEntry, Sums } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { asPlain, valueCells } from '../columns/person-cells.ts'
import { coefficientK, measureScanpath, type PairSums } from '../columns/scanpath-measures.ts'
import type { StudyFacts } from '../columns/study-facts.ts'
import { scanpathOf } from '../columns/test-scanpath.ts'
import { FIXATION_FILTER } from './fixations.ts'

/** A test: its identity, its measures in the order of `MEASURED`, and its fixations that a saccade follows. */
type TestRow = { who: Value[]; letters: string; measures: number[]; pairs: PairSums }

const PERCENT_OF = (what: string) => `% of ${what}`
const MEASURED = [
  column('fixation_count', 'int', 'fixations', 'Fixations of the test'),
  column('place_count', 'int', 'places', 'AOIs of the item, and outside'),
  column('transition_count', 'int', 'transitions', 'Transitions between stays'),
  column('transition_entropy_bits', 'number', 'bit', 'Entropy of the place that follows', ''),
  column('stationary_entropy_bits', 'number', 'bit', 'Entropy of the places left', ''),
  column('recurrence_percents', 'number', PERCENT_OF('pairs of fixations'), 'Pairs that recur', ''),
  column('determinism_percents', 'number', PERCENT_OF('recurrences'), 'Those in diagonal lines', ''),
  column('laminarity_percents', 'number', PERCENT_OF('recurrences'), 'Those in horizontal and vertical lines', ''),
  column('recurrence_center_percents', 'number', PERCENT_OF('the scanpath'), 'Mean distance of recurrences', ''),
]

/** One row for each test: its AOI string, and measures of its scanpath. */
export const scanpaths: ExportEntry = {
  name: 'scanpaths',
  path: 'eye-tracking/scanpaths',
  variant: null,
  title: 'Scanpaths',
  rowPer: 'test',
  listed: [...FIXATION_FILTER, 'recurrenceRadiusPercent'],
  takesWindow: true,
  columns: [
    ...ITEM_PARTICIPANT_TEST.map(asPlain),
    column('aoi_string', 'string', '', 'A letter for each fixation, the place where it is', '', { isGuarded: true }),
    ...MEASURED,
    column('saccade_pair_count', 'int', 'fixations', 'Fixations that a saccade follows'),
    column(
      'coefficient_k',
      'number',
      'SD',
      'Mean of durations less that of the amplitudes that follow, standardized',
      '',
    ),
    NOTES,
  ],
  ownColumns: (facts) => personalColumns(facts).map(asPlain),
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ samples, tests }) => tests * 500 + samples,
  kind: 'sums',
  addTest: (run, context, sums) => {
    const { identity } = run
    const own = scanpathOf(run, context)
    const { places, entropies, recurrence, pairs } = measureScanpath(own, run, context)
    const row: TestRow = {
      who: [...ITEM_PARTICIPANT_TEST, ...personalColumns(context.facts)].map((each) => each.value(identity)),
      letters: aoiString(own.scanpath),
      measures: [
        ...[own.scanpath.n, places, entropies.transitions, entropies.transition, entropies.stationary],
        ...[recurrence.recurrence, recurrence.determinism, recurrence.laminarity, recurrence.center],
      ],
      pairs,
    }
    sums.set(identity.test.id, row)
  },
  combine: function* (_study, _plan, parts, facts) {
    const kOf = coefficientK(pairsIn(parts))
    const tests: TestRow[] = []
    for (const part of parts) {
      tests.push(...(part.values() as Iterable<TestRow>))
      while (tests.length >= TESTS_AT_ONCE) yield rowsOf(tests.splice(0, TESTS_AT_ONCE), kOf, facts)
    }
    if (tests.length > 0) yield rowsOf(tests, kOf, facts)
  },
}

const TESTS_AT_ONCE = 4096

function* pairsIn(parts: Iterable<Sums>): Generator<PairSums> {
  for (const part of parts) for (const { pairs } of part.values() as Iterable<TestRow>) yield pairs
}

function rowsOf(tests: TestRow[], kOf: (own: PairSums) => number, facts: StudyFacts): Rows {
  const identity = ITEM_PARTICIPANT_TEST.length
  const who = [...ITEM_PARTICIPANT_TEST, ...personalColumns(facts)].map((each, c) => {
    const values = tests.map((test) => test.who[c])
    return each.type === 'int' ? valueCells(each, values) : textCells(each.missing, values)
  })
  const numbers = (numberOf: (test: TestRow) => number) => Float64Array.from(tests, numberOf)
  const cells: Cells[] = [
    ...who.slice(0, identity),
    textCells(
      '',
      tests.map(({ letters }) => letters),
    ),
    ...MEASURED.map(({ type }, m) => (type === 'int' ? wholes : fractions)(numbers(({ measures }) => measures[m]))),
    wholes(numbers(({ pairs }) => pairs.n)),
    fractions(numbers(({ pairs }) => kOf(pairs))),
    ...who.slice(identity),
    NO_NOTES,
  ]
  return { n: tests.length, cells }
}

function textCells(missing: string | null, values: Value[]): Cells {
  return valueCells(column('', 'string', '', '', missing), values)
}
