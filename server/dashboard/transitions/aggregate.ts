import { mean } from '../../../engine/analysis/descriptive.ts'
import { kaplanMeier, medianSurvival, type SurvivalStep } from '../../../engine/analysis/kaplan-meier.ts'
import type { Aoi, Loaded, TableData } from '../core/api.ts'

/** Columns that are asked of each export. */
export const COLUMNS = {
  transitions: ['participant_id', 'test_id', 'from_aoi_id', 'to_aoi_id', 'transition_count'],
  visits: [
    'participant_id',
    'test_id',
    'aoi_id',
    'visit_starts_at_ms',
    'visit_ends_at_ms',
    'visit_duration_ms',
    'visit_dwell_ms',
  ],
  firsts: ['participant_id', 'aoi_id', 'aoi_fixation_ttff_ms'],
  tests: ['participant_id', 'test_duration_ms'],
}

/** The answers that the charts are made of. */
export type TransitionTables = Record<keyof typeof COLUMNS, Loaded<TableData>>

function places({ columns }: TableData, names: string[]): number[] {
  return names.map((name) => columns.indexOf(name))
}

/** Transitions from row to column over all tests; the last place is outside all AOIs. */
export type Matrix = { counts: number[][]; leaving: number[]; total: number; participants: number }

/** Adds up the rows of `aoi-transitions`. */
export function matrixOf(table: TableData, aois: Aoi[]): Matrix {
  const [who, , from, to, n] = places(table, COLUMNS.transitions)
  const placeOf = new Map(aois.map(({ id }, a) => [id, a]))
  const counts = Array.from({ length: aois.length + 1 }, () => new Array<number>(aois.length + 1).fill(0))
  for (const row of table.rows)
    counts[placeOf.get(row[from]) ?? aois.length][placeOf.get(row[to]) ?? aois.length] += Number(row[n])
  const leaving = counts.map((row) => row.reduce((sum, count) => sum + count, 0))
  return {
    counts,
    leaving,
    total: leaving.reduce((sum, count) => sum + count, 0),
    participants: new Set(table.rows.map((row) => row[who])).size,
  }
}

/** What the visits of an AOI come to; means are null without a visit. */
export type VisitSummary = {
  tests: number
  visits: number
  perTest: number | null
  dwellMs: number | null
  durationMs: number | null
}

/** Sums up the rows of `aoi-visits` by AOI; `perTest` is over the tests that have one. */
export function visitsOf(table: TableData, aois: Aoi[]): VisitSummary[] {
  const [, test, aoi, , , duration, dwell] = places(table, COLUMNS.visits)
  return aois.map(({ id }) => {
    const own = table.rows.filter((row) => row[aoi] === id)
    const tests = new Set(own.map((row) => row[test])).size
    return {
      tests,
      visits: own.length,
      perTest: tests === 0 ? null : own.length / tests,
      dwellMs: own.length === 0 ? null : mean(own.map((row) => Number(row[dwell]))),
      durationMs: own.length === 0 ? null : mean(own.map((row) => Number(row[duration]))),
    }
  })
}

/**
 * Returns the share of the tests, in percent, that are in a visit of each AOI at each time.
 *
 * @param table rows of `aoi-visits`
 * @param testCount of all tests, also of those without a visit
 * @param timesMs ascending; a visit counts from its start, included, to its end, excluded
 * @returns by AOI, by time
 */
export function visitingAt(table: TableData, aois: Aoi[], testCount: number, timesMs: number[]): number[][] {
  const [, , aoi, start, end] = places(table, COLUMNS.visits)
  const placeOf = new Map(aois.map(({ id }, a) => [id, a]))
  const counts = aois.map(() => new Array<number>(timesMs.length).fill(0))
  for (const row of table.rows) {
    const own = counts[placeOf.get(row[aoi]) ?? -1]
    if (own === undefined) continue
    const [from, to] = [Number(row[start]), Number(row[end])]
    for (let i = 0; i < timesMs.length && timesMs[i] < to; i++) if (timesMs[i] >= from) own[i]++
  }
  return counts.map((own) => own.map((count) => (100 * count) / Math.max(1, testCount)))
}

/** Who has not looked into an AOI yet, by time. */
export type FirstLooks = { n: number; looked: number; steps: SurvivalStep[]; medianMs: number | null; untilMs: number }

/**
 * Estimates the time to first fixation of each AOI with those who never looked as censored at the end of their test: of each
 * participant their first test of the item.
 *
 * @param firsts rows of `aoi-fixations-stats`: for each test a row an AOI
 * @param tests rows of `keyboard-mouse-overall`, of the same tests in the same order
 * @param fallbackMs until when is waited where the duration of a test is not known
 */
export function firstLooks(firsts: TableData, tests: TableData, aois: Aoi[], fallbackMs: number): FirstLooks[] {
  const [who, aoi, ttff] = places(firsts, COLUMNS.firsts)
  const [owner, duration] = places(tests, COLUMNS.tests)
  const waitedMs = new Map<string, number>()
  for (const row of tests.rows)
    if (!waitedMs.has(row[owner])) waitedMs.set(row[owner], row[duration] === '' ? fallbackMs : Number(row[duration]))
  return aois.map(({ id }) => {
    const seen = new Set<string>()
    const times: number[] = []
    const hadEvent: boolean[] = []
    for (const row of firsts.rows) {
      if (row[aoi] !== id || seen.has(row[who])) continue
      seen.add(row[who])
      hadEvent.push(row[ttff] !== '')
      times.push(row[ttff] === '' ? (waitedMs.get(row[who]) ?? fallbackMs) : Number(row[ttff]))
    }
    const steps = kaplanMeier(times, hadEvent)
    const looked = hadEvent.filter((had) => had).length
    return { n: times.length, looked, steps, medianMs: medianSurvival(steps), untilMs: Math.max(0, ...times) }
  })
}
