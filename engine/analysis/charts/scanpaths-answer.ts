import { aoiString } from '../../compute/scanpath.ts'
import { coefficientK } from '../../exports/columns/scanpath-measures.ts'
import { refusedParameter } from '../../model/errors.ts'
import { printedOrNull } from '../../text/cells.ts'
import type { ScanpathPair } from '../statistics/compare-scanpaths.ts'
import { mean } from '../statistics/descriptive.ts'
import { type ChartRun, type ChartSubject, compute } from './answer-chart.ts'
import type { ScanpathTask } from './compare-thread.ts'
import { COMPARE_THREAD } from './comparisons-answer.ts'
import type { OwnScanpath, ScanpathsPart } from './scanpaths-chart.ts'

const SCANPATHS_MAX = 200
/** Largest number of comparisons of two fixations: some seconds on a thread. */
const CELLS_MAX = 500_000_000
/** Comparisons of two fixations in a task, so that others get their turn on the thread. */
const CELLS_AT_ONCE = 2_000_000

/**
 * Compares the scanpaths of each pair of participants on an item: docs/scanpaths.md.
 *
 * @throws ServiceError invalid_param for too many scanpaths, or too long ones
 */
export async function scanpathsAnswer(subject: ChartSubject, run: ChartRun) {
  const { head, part } = await compute<ScanpathsPart>(subject, run, { kind: 'scanpaths' })
  const { scanpaths } = part
  refuseLarge(scanpaths, subject.parameters.filter)
  const paths = scanpaths.map(({ scanpath }) => scanpath)
  const aspect = scanpaths[0]?.aspect ?? 1
  const pairs = await comparePairs(paths, aspect, run)
  const compared = pairs.map(({ first, second, levenshtein, needlemanWunsch, multiMatch }) => ({
    first,
    second,
    levenshtein,
    levenshteinSimilarity: printedOrNull(1 - levenshtein / Math.max(paths[first].n, paths[second].n)),
    needlemanWunsch,
    vector: printedOrNull(multiMatch?.vector ?? null),
    direction: printedOrNull(multiMatch?.direction ?? null),
    length: printedOrNull(multiMatch?.length ?? null),
    position: printedOrNull(multiMatch?.position ?? null),
    duration: printedOrNull(multiMatch?.duration ?? null),
  }))
  const ks = part.pairs.map(coefficientK(part.pairs))
  const means = meansOf(compared, scanpaths.length)
  return {
    ...head,
    methods: METHODS,
    scanpaths: scanpaths.map(({ participantId, testId, scanpath, measures, place }, s) => ({
      participantId,
      testId,
      fixations: scanpath.n,
      aoiString: aoiString(scanpath),
      places: measures.places,
      transitions: measures.entropies.transitions,
      transitionEntropyBits: printedOrNull(measures.entropies.transition),
      stationaryEntropyBits: printedOrNull(measures.entropies.stationary),
      recurrencePercents: printedOrNull(measures.recurrence.recurrence),
      determinismPercents: printedOrNull(measures.recurrence.determinism),
      laminarityPercents: printedOrNull(measures.recurrence.laminarity),
      recurrenceCenterPercents: printedOrNull(measures.recurrence.center),
      saccadePairs: measures.pairs.n,
      coefficientK: printedOrNull(ks[place]),
      means: means[s],
    })),
    pairs: compared,
  }
}

/** Similarities of two scanpaths, in the order of docs/scanpaths.md. */
const SIMILARITIES = [
  'levenshteinSimilarity',
  'needlemanWunsch',
  'vector',
  'direction',
  'length',
  'position',
  'duration',
] as const
type Similarities = Record<(typeof SIMILARITIES)[number], number | null>

/** Returns the mean similarity of each of n scanpaths to the others, over those with a value; null without one. */
function meansOf(pairs: (Similarities & { first: number; second: number })[], n: number): Similarities[] {
  const own = Array.from({ length: n }, () => SIMILARITIES.map((): number[] => []))
  for (const pair of pairs)
    for (const [k, name] of SIMILARITIES.entries()) {
      const value = pair[name]
      if (value !== null) for (const s of [pair.first, pair.second]) own[s][k].push(value)
    }
  return own.map(
    (values) =>
      Object.fromEntries(SIMILARITIES.map((name, k) => [name, printedOrNull(mean(values[k]))])) as Similarities,
  )
}

function refuseLarge(scanpaths: OwnScanpath[], filter: string | null): void {
  const lengths = scanpaths.map(({ scanpath }) => scanpath.n)
  const total = lengths.reduce((sum, n) => sum + n, 0)
  const cells = (total ** 2 - lengths.reduce((sum, n) => sum + n * n, 0)) / 2
  if (scanpaths.length <= SCANPATHS_MAX && cells <= CELLS_MAX) return
  const rule = `must keep fewer tests: these have ${scanpaths.length} scanpaths with ${total} fixations, and at most ${SCANPATHS_MAX}, or ${CELLS_MAX} pairs of fixations, are compared`
  throw refusedParameter({ parameter: 'filter', rule, value: filter ?? '' })
}

const METHODS =
  'Scanpaths of each pair of participants were compared by the Levenshtein distance (Levenshtein, 1966) and the ' +
  'Needleman–Wunsch score (Needleman & Wunsch, 1970, doi:10.1016/0022-2836(70)90057-4; match 1, mismatch −1, gap −1) of ' +
  'their AOI strings, and by MultiMatch (Dewhurst et al., 2012, doi:10.3758/s13428-012-0212-2) without simplification.'

type ComparedPair = { first: number; second: number } & ScanpathPair

/** Compares all pairs of paths on the threads, some at a time. */
async function comparePairs(
  paths: ScanpathTask['paths'],
  aspect: number,
  { pool, signal }: ChartRun,
): Promise<ComparedPair[]> {
  const pairs: ComparedPair[] = []
  let places: ScanpathTask['places'] = []
  let cells = 0
  const compareSome = async () => {
    const task: ScanpathTask = { paths, places, diagonal: Math.hypot(1, aspect) }
    const found = (await pool.computeBy(COMPARE_THREAD, 'compareScanpathPairs', task)) as ScanpathPair[]
    signal.throwIfAborted()
    pairs.push(...found.map((pair, i) => ({ first: places[i][0], second: places[i][1], ...pair })))
    places = []
    cells = 0
  }
  for (let first = 0; first < paths.length; first++)
    for (let second = first + 1; second < paths.length; second++) {
      places.push([first, second])
      cells += paths[first].n * paths[second].n
      if (cells >= CELLS_AT_ONCE) await compareSome()
    }
  if (places.length > 0) await compareSome()
  return pairs
}
