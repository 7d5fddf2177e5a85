import { dirname } from 'node:path'
import type { GazeOffset } from '../../../isomorphic/gaze-offsets.ts'
import { listValue, readParquet } from '../../duckdb/duckdb.ts'
import { queryRows } from '../../duckdb/query.ts'
import { filterFaults } from '../../filter/read-filter.ts'
import { type Fault, refusedValue, ServiceError } from '../../model/errors.ts'
import { EYES, eyeRule, recordedEyes } from '../../model/eye-columns.ts'
import type { Snapshot } from '../../model/study.ts'
import { ANALYSIS_REFERENCE, type NamedAnalysis, type StudyAnalysis } from '../../model/study-analysis.ts'
import { studiesDirectoryOf } from '../../storage/files/layout.ts'
import { PARTICIPANTS_FILE, TESTS_FILE } from '../table-columns.ts'
import { tablePath } from '../tables.ts'
import { readAnalysis } from './stored-analyses.ts'

/**
 * Finds the analysis that the parameter `analysis` names, in its current version unless it names one. Returns null
 * without the parameter, and for an unknown name, which `checkParameters` refuses.
 *
 * @param values of all parameters
 * @throws ServiceError invalid_param if its filter no longer fits the study, corrupt
 */
export async function findAnalysis(snapshot: Snapshot, values: string[] = []): Promise<NamedAnalysis | null> {
  const [, name, version = null] = (values.length === 1 && ANALYSIS_REFERENCE.exec(values[0])) || []
  const stored = name ? await readAnalysis(dirname(snapshot.directory), name, version) : null
  if (stored === null) return null
  const reference = `${stored.name}@${stored.version}`
  const [fault] = filterFaults(stored.analysis.filter ?? null, snapshot)
  if (fault === undefined) return { reference, analysis: stored.analysis }
  const rule = `has a filter that does not fit the study: it ${fault.rule}`
  throw refusedValue({ parameter: 'analysis', rule, value: reference })
}

/** Refuses an analysis that does not fit its study. @throws ServiceError invalid_param, with all faults */
export async function checkAnalysis(analysis: StudyAnalysis, snapshot: Snapshot): Promise<void> {
  const { settings = {}, fromMs = 0, toMs = Number.POSITIVE_INFINITY, ignored = [], offsets = [] } = analysis
  const faults = filterFaults(analysis.filter ?? null, snapshot)
  const { minFixationDurationMs: min = 0, maxFixationDurationMs: max = Number.POSITIVE_INFINITY } = settings
  if (Number(min) > Number(max))
    faults.push({
      parameter: 'settings.minFixationDurationMs',
      rule: 'must be at most maxFixationDurationMs',
      value: String(min),
    })
  const eye = EYES.find((one) => one === settings.eye)
  const rule = eye === undefined || eye === 'recorded' ? null : eyeRule(eye, recordedEyes(snapshot.manifest))
  if (rule) faults.push({ parameter: 'settings.eye', rule, value: String(eye) })
  if (fromMs >= toMs)
    faults.push({ parameter: 'fromMs', rule: `must be less than toMs, which is ${toMs}`, value: String(fromMs) })
  const ids = ignored.map(({ participantId }) => participantId.toLowerCase())
  const known = await knownParticipants(snapshot, ids)
  const seen = new Set<string>()
  for (const [i, id] of ids.entries()) {
    const isAgain = seen.has(id)
    seen.add(id)
    if (!isAgain && known.has(id)) continue
    const rule = isAgain ? 'must be ignored once' : 'must be a participant of the study'
    faults.push({ parameter: `ignored.${i}.participantId`, rule, value: id })
  }
  faults.push(...(await offsetFaults(offsets, snapshot)))
  if (faults.length === 0) return
  const sentences = faults.map(({ parameter, rule, value }) => `${parameter} ${rule}, got ${value}`)
  throw new ServiceError('invalid_param', sentences.join('; '), { faults })
}

/** Returns the faults of offsets: unknown participants and tests, and a second offset for one of them. */
async function offsetFaults(offsets: GazeOffset[], snapshot: Snapshot): Promise<Fault[]> {
  const people = offsets.map(({ participantId }) => participantId.toLowerCase())
  const tests = offsets.map(({ testId }) => testId?.toLowerCase())
  const known = await knownParticipants(snapshot, people)
  const ownerOf = await ownersOf(
    snapshot,
    tests.flatMap((id) => id ?? []),
  )
  const seen = new Set<string>()
  return offsets.flatMap((_, i): Fault[] => {
    const [participantId, testId] = [people[i], tests[i]]
    const faultAt = (name: string, rule: string, value: string) => [{ parameter: `offsets.${i}.${name}`, rule, value }]
    if (!known.has(participantId)) return faultAt('participantId', 'must be a participant of the study', participantId)
    if (testId !== undefined && ownerOf.get(testId) !== participantId)
      return faultAt('testId', 'must be a test of the participant', testId)
    const subject = testId ?? participantId
    const isAgain = seen.has(subject)
    seen.add(subject)
    return isAgain ? faultAt(testId ? 'testId' : 'participantId', 'must have one offset', subject) : []
  })
}

/** Returns the participants of tests, by test id; unknown tests are absent. */
async function ownersOf(snapshot: Snapshot, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const sql = `SELECT test_id, participant_id FROM ${readParquet()} WHERE list_contains($ids::VARCHAR[], test_id)`
  const path = (await tablePath(snapshot, TESTS_FILE))!
  const rows = await queryRows(studiesDirectoryOf(snapshot.directory), sql, { path, ids: listValue(ids) })
  return new Map(rows.map(([test, participant]) => [String(test), String(participant)]))
}

async function knownParticipants(snapshot: Snapshot, ids: string[]): Promise<Set<string>> {
  const sql = `SELECT participant_id FROM ${readParquet()} WHERE list_contains($ids::VARCHAR[], participant_id)`
  const path = (await tablePath(snapshot, PARTICIPANTS_FILE))!
  const rows = await queryRows(studiesDirectoryOf(snapshot.directory), sql, { path, ids: listValue(ids) })
  return new Set(rows.map(([id]) => String(id)))
}
