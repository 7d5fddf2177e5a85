import { aoiString, entropiesOf, recurrenceOf } from '../../compute/scanpath.ts'
import { type Cells, column, fractions, type Rows, type Value, wholes } from '../../model/columns.ts'
import { personalColumns } from '../columns/columns-of.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { ITEM_PARTICIPANT_TEST } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { asPlain, valueCells } from '../columns/person-cells.ts'
import type { StudyFacts } from '../columns/study-facts.ts'
import { scanpathOf } from '../columns/test-scanpath.ts'
import { FIXATION_FILTER } from './fixations.ts'

/** A test: its identity, its measures in the order of `MEASURED`, and its fixations that a saccade follows. */
type TestRow = { who: Value[]; letters: string; measures: number[]; pairs: PairSums }

/** Number of pairs of a fixation and the saccade after it; sums of durations and amplitudes, and of their squares. */
type PairSums = { n: number; d: number; dd: number; a: number; aa: number }

/** Tests with more fixations have no recurrence, which takes their square. */
const RECURRENCE_FIXATIONS_MAX = 5000

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
    const { scanpath, fixations } = scanpathOf(run, context)
    const aois = context.aoisOf(identity.item).n
    const entropies = entropiesOf(scanpath, aois)
    const radius = context.plan.parameters.recurrenceRadiusPercent! / 100
    const { recurrence, determinism, laminarity, center } = recurrenceOf(scanpath, radius, RECURRENCE_FIXATIONS_MAX)
    const pairs: PairSums = { n: 0, d: 0, dd: 0, a: 0, aa: 0 }
    for (let f = 1; f < fixations.n; f++) {
      if (fixations.hasSaccade[f] === 0) continue
      const [d, a] = [scanpath.durationMs[f - 1], fixations.saccadeAmplitudePercent[f]]
      pairs.n++
      pairs.d += d
      pairs.dd += d * d
      pairs.a += a
      pairs.aa += a * a
    }
    const row: TestRow = {
      who: [...ITEM_PARTICIPANT_TEST, ...personalColumns(context.facts)].map((each) => each.value(identity)),
      letters: aoiString(scanpath),
      measures: [
        ...[fixations.n, aois + 1, entropies.transitions, entropies.transition, entropies.stationary],
        ...[recurrence, determinism, laminarity, center],
      ],
      pairs,
    }
    sums.set(identity.test.id, row)
  },
  combine: function* (_study, _plan, parts, facts) {
    const tests = [...parts].flatMap((part) => [...part.values()] as TestRow[])
    const ks = coefficientsK(tests.map(({ pairs }) => pairs))
    for (let from = 0; from < tests.length; from += TESTS_AT_ONCE)
      yield rowsOf(tests.slice(from, from + TESTS_AT_ONCE), ks.subarray(from, from + TESTS_AT_ONCE), facts)
  },
}

const TESTS_AT_ONCE = 4096

/** Returns the coefficient K of each test, standardized over all: docs/scanpaths.md (Krejtz et al., 2016). */
export function coefficientsK(tests: PairSums[]): Float64Array {
  const all = { n: 0, d: 0, dd: 0, a: 0, aa: 0 }
  for (const own of tests) for (const name of ['n', 'd', 'dd', 'a', 'aa'] as const) all[name] += own[name]
  const sdOf = (sum: number, squares: number) => Math.sqrt((squares - (sum * sum) / all.n) / (all.n - 1))
  const [sdD, sdA] = [sdOf(all.d, all.dd), sdOf(all.a, all.aa)]
  const varies = (sd: number, sum: number) => all.n > 1 && sd > 1e-7 * (sum / all.n)
  const isKnown = varies(sdD, all.d) && varies(sdA, all.a)
  return Float64Array.from(tests, ({ n, d, a }) =>
    n === 0 || !isKnown ? Number.NaN : (d / n - all.d / all.n) / sdD - (a / n - all.a / all.n) / sdA,
  )
}

function rowsOf(tests: TestRow[], ks: Float64Array, facts: StudyFacts): Rows {
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
    fractions(ks),
    ...who.slice(identity),
    NO_NOTES,
  ]
  return { n: tests.length, cells }
}

function textCells(missing: string | null, values: Value[]): Cells {
  return valueCells(column('', 'string', '', '', missing), values)
}
