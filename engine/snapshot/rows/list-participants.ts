import type { DuckDBValue } from '@duckdb/node-api'
import { readParquet } from '../../duckdb/duckdb.ts'
import { queryRows } from '../../duckdb/query.ts'
import type { Participant, Snapshot } from '../../model/study.ts'
import { studiesDirectoryOf } from '../../storage/files/layout.ts'
import { earlyValues } from '../early-samples.ts'
import { WITH_EARLY } from '../select-sql.ts'
import { PARTICIPANTS_FILE, TESTS_FILE } from '../table-columns.ts'
import { tablePath } from '../tables.ts'
import { loadRows } from './read-rows.ts'

/** Returns a participant's row in the order of output; null if there is none with that lower-case id. */
export async function findParticipant(snapshot: Snapshot, id: string): Promise<number | null> {
  const rows = await ask(
    snapshot,
    PARTICIPANTS_FILE,
    `SELECT participant_row FROM ${readParquet()} WHERE participant_id = $id`,
    { id },
  )
  return rows.length === 0 ? null : Number(rows[0][0])
}

/** Lists the ids of the participants with an external id, in ascending order. */
export async function participantsCalled(snapshot: Snapshot, externalId: string): Promise<string[]> {
  const sql = `SELECT participant_id FROM ${readParquet()} WHERE external_id = $externalId ORDER BY ALL`
  return (await ask(snapshot, PARTICIPANTS_FILE, sql, { externalId })).map(([id]) => String(id))
}

/**
 * Finds participants by external id and display name, in the order of output.
 *
 * @param words as `searchWords` returns them; one of the two names contains all of them
 */
export async function findParticipants(
  snapshot: Snapshot,
  words: string[],
  most: number,
): Promise<{ id: string; externalId: string; displayName: string }[]> {
  const hasAll = (name: string) =>
    words.map((_, w) => `contains(lower(strip_accents(${name})), $word${w})`).join(' AND ')
  const sql = `SELECT participant_id, external_id, display_name FROM ${readParquet()}
    WHERE (${hasAll('external_id')}) OR (${hasAll('display_name')}) ORDER BY participant_row LIMIT ${most}`
  const values = Object.fromEntries(words.map((word, w) => [`word${w}`, word]))
  const rows = await ask(snapshot, PARTICIPANTS_FILE, sql, values)
  return rows.map(([id, externalId, displayName]) => ({
    id: String(id),
    externalId: String(externalId ?? ''),
    displayName: String(displayName ?? ''),
  }))
}

/** Reads participants at places in the order of output. */
export async function readParticipants(snapshot: Snapshot, rows: Int32Array): Promise<Participant[]> {
  const { participantAt } = await loadRows(snapshot, new Int32Array(0), rows)
  return Array.from(rows, participantAt)
}

/**
 * Returns the other names of a participant, as given: external id and display name; none for an unknown participant.
 */
export async function namesOfParticipant(snapshot: Snapshot, id: string): Promise<string[]> {
  const row = await findParticipant(snapshot, id.toLowerCase())
  if (row === null) return []
  const [{ externalId, displayName }] = await readParticipants(snapshot, Int32Array.of(row))
  return [externalId, displayName].filter((name) => name !== '')
}

/** Counts of tests and participants by grade: `[grade, …, count]`. */
type GradeCounts = {
  /** Tests by index of the item. */
  tests: [itemIndex: number, grade: number, count: number][]
  /** Participants by the best of their tests. */
  bestOfParticipants: [grade: number, count: number][]
  participants: [grade: number, count: number][]
}

export async function countGrades(snapshot: Snapshot): Promise<GradeCounts> {
  const numbers = async <Row extends number[]>(file: string, sql: string) =>
    (await ask(snapshot, file, sql)).map((row) => row.map(Number) as Row)
  const best = `SELECT max(quality_grade_item) AS best FROM ${readParquet()} GROUP BY participant_row`
  const [tests, bestOfParticipants, participants] = await Promise.all([
    numbers<GradeCounts['tests'][number]>(
      TESTS_FILE,
      `SELECT item_index, quality_grade_item, count(*) FROM ${readParquet()} GROUP BY ALL`,
    ),
    numbers<[number, number]>(TESTS_FILE, `SELECT best, count(*) FROM (${best}) GROUP BY best`),
    numbers<[number, number]>(PARTICIPANTS_FILE, `SELECT quality_grade, count(*) FROM ${readParquet()} GROUP BY ALL`),
  ])
  return { tests, bestOfParticipants, participants }
}

/**
 * Returns the best grade of the tests of each participant on an item, for participants from one place to another,
 * half-open.
 */
export async function bestGrades(
  snapshot: Snapshot,
  from: number,
  to: number,
): Promise<[participantRow: number, itemIndex: number, grade: number][]> {
  const sql = `SELECT participant_row, item_index, max(quality_grade_item) FROM ${readParquet()}
    WHERE participant_row >= $from AND participant_row < $to GROUP BY ALL`
  const rows = await ask(snapshot, TESTS_FILE, sql, { from, to })
  return rows.map((row) => row.map(Number) as [number, number, number])
}

/** Samples of a participant's tests on an item from item onset on, and how many of them have gaze. */
type SampleCounts = [participantRow: number, itemIndex: number, sampleCount: number, validCount: number]

/**
 * Counts the samples of each participant on each item, for participants from one place to another, half-open. Sample
 * files are read once for it.
 *
 * @throws ServiceError corrupt, overloaded; as `stopReason` when `stop` aborts
 */
export async function countSamplesOfEach(
  snapshot: Snapshot,
  from: number,
  to: number,
  stop: AbortSignal,
): Promise<SampleCounts[]> {
  const sql = `SELECT participant_row, item_index, sum(sample_count - early_count), sum(valid_count) FROM ${WITH_EARLY}
    WHERE participant_row >= $from AND participant_row < $to GROUP BY ALL`
  const rows = await ask(snapshot, TESTS_FILE, sql, { from, to, ...(await earlyValues(snapshot, stop)) })
  return rows.map((row) => row.map(Number) as SampleCounts)
}

async function ask(
  snapshot: Snapshot,
  file: string,
  sql: string,
  values: Record<string, DuckDBValue> = {},
): Promise<DuckDBValue[][]> {
  const path = (await tablePath(snapshot, file))!
  return queryRows(studiesDirectoryOf(snapshot.directory), sql, { path, ...values })
}
