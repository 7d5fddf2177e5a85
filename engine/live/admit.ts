import { createHash } from 'node:crypto'
import { PARTICIPANTS_MAX, TESTS_MAX } from '../import/bundle/bundle-limits.ts'
import { furtherColumns } from '../import/bundle/participant-columns.ts'
import { newReport, noProblems, throwReport } from '../model/bundle-problems.ts'
import { ServiceError } from '../model/errors.ts'
import type { StudyWrite } from '../model/study.ts'
import type { Arrival } from '../study/arrival.ts'
import type { HistoryEntry } from '../study/history.ts'
import type { LiveTables } from '../study/live-tables.ts'
import { report } from './arrivals/read-cells.ts'

/** Sender of a participant. */
export type Sender = {
  tokenId: string
  /** Idempotency-Key of the request. */
  key: string | null
}

/** Returns the stored form of a key: hashed together with the token's id. */
function keyOf({ tokenId, key }: Sender): string | null {
  return key === null ? null : createHash('sha256').update(`${tokenId}\n${key}`).digest('hex')
}

/** Returns the history entry of an added participant. */
export function writeOf(arrival: Arrival, sender: Sender): Partial<StudyWrite> {
  const key = keyOf(sender)
  return {
    tokenId: sender.tokenId,
    participantId: arrival.participant.id,
    testCount: arrival.tests.length,
    sampleCount: arrival.sampleCount,
    ...(key === null ? {} : { key, content: arrival.content }),
  }
}

/**
 * Returns the history entry of an earlier request with the same key; null for a new request.
 *
 * @throws ServiceError conflict if its body was different
 */
export function sentBefore(
  entries: Map<string, HistoryEntry>,
  { content }: Pick<Arrival, 'content'>,
  sender: Sender,
): HistoryEntry | null {
  const key = keyOf(sender)
  const entry = key === null ? undefined : entries.get(key)
  if (entry === undefined) return null
  if (entry.content === content) return entry
  throw new ServiceError('conflict', 'this Idempotency-Key was used before with another body')
}

/**
 * Checks a new participant against the study and against others in the same snapshot.
 *
 * @throws ServiceError conflict if the study has the participant or a test, invalid_bundle if it lacks an item
 */
export function admit(
  tables: LiveTables,
  arrival: Arrival,
  beside: { participants: Set<string>; tests: Set<string> },
): void {
  const { participant, tests, columns } = arrival
  const has = (known: Set<string>, others: Set<string>, id: string) => known.has(id) || others.has(id)
  if (has(tables.participantIds, beside.participants, participant.id))
    throw new ServiceError('conflict', `the study already has the participant ${participant.id}`)
  for (const { given } of tests)
    if (has(tables.testIds, beside.tests, given.id))
      throw new ServiceError('conflict', `the study already has the test ${given.id}`)
  if (tables.participantIds.size + beside.participants.size >= PARTICIPANTS_MAX)
    throw new ServiceError(
      'conflict',
      `the study already has ${PARTICIPANTS_MAX} participants, the largest number allowed`,
    )
  if (tables.testIds.size + beside.tests.size + tests.length > TESTS_MAX)
    throw new ServiceError('conflict', `the study would have more than ${TESTS_MAX} tests`)
  const problems = noProblems()
  const items = new Set(tables.snapshot.study.items.map(({ id }) => id))
  for (const [i, { given }] of tests.entries()) {
    const rule = 'must be the id of an item of the study'
    if (!items.has(given.itemId)) report({ path: `tests[${i}]`, problems }, 'item_id', given.itemId, rule)
  }
  const header = { cells: columns.externalData.map((name) => `external_data_${name}`), line: 0 }
  furtherColumns(header, 'body', tables.columns, problems)
  throwReport({ ...newReport(), bundle: problems }, 'the body')
  beside.participants.add(participant.id)
  for (const { given } of tests) beside.tests.add(given.id)
}
