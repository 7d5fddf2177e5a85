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
  /** The Idempotency-Key of the request. */
  key: string | null
}

/** Returns the key as it is kept: a token's own, and unreadable. */
function keyOf({ tokenId, key }: Sender): string | null {
  return key === null ? null : createHash('sha256').update(`${tokenId}\n${key}`).digest('hex')
}

/** Returns the entry of an arrival in the history. */
export function toldOf(arrival: Arrival, sender: Sender): Partial<StudyWrite> {
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
 * Returns the entry of a request that was sent before with the same key; null for a new one.
 *
 * @throws ServiceError conflict when it had other content
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
 * Checks an arrival against the study, and against those that come into it with the same snapshot.
 *
 * @throws ServiceError conflict when the study has the participant or a test, invalid_bundle when it has not the item
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
