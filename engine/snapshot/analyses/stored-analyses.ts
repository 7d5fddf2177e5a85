import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { GazeOffset } from '../../../isomorphic/gaze-offsets.ts'
import { refusedParameter, ServiceError } from '../../model/errors.ts'
import { UUID } from '../../model/parameters.ts'
import { canonicalJson } from '../../model/plan.ts'
import { ANALYSIS_NAME, type StudyAnalysis } from '../../model/study-analysis.ts'
import { createDurably, makeDirectory, replaceDurably, syncDirectory } from '../../storage/files/durable.ts'
import { studiesDirectory, studyDirectory } from '../../storage/files/layout.ts'
import { takeLockWithin } from '../../storage/files/lock.ts'
import { isThere, namesIn, removeIfEmpty } from '../../storage/files/optional-files.ts'
import { readSealed, seal } from '../../storage/files/sealed-json.ts'

/**
 * Stores the analyses of a study. Each name has a directory with one immutable file for each version, and a file that
 * names the current version. Analyses are not data: they change no snapshot.
 */
export const ANALYSES_FOLDER = 'analyses'
export const CURRENT = 'current.json'
/** Text in an address for "no analysis"; no analysis can have this name. */
const LOCK = '.lock'
const LOCK_WAIT_MS = 10_000
const ANALYSES_MAX = 200
const VERSION_DIGITS = 12

/**
 * A stored analysis.
 *
 * @property changedAt time at which this version became current, RFC 3339; null for an earlier version
 */
export type AnalysisVersion = { name: string; version: string; changedAt: string | null; analysis: StudyAnalysis }

/**
 * Format of an analysis with offsets. Earlier versions would ignore offsets, and show gaze as recorded. Its checksum
 * covers the format, so that they refuse the file instead. Other analyses have no format.
 */
const FORMAT_WITH_OFFSETS = 2

/** Content of the file of a version, without its seal. */
export type AnalysisContent = StudyAnalysis & { format?: number }

type Current = { version: string; changedAt: string }

/** Returns the version of an analysis; equal analyses have the same. */
export function versionOf(analysis: StudyAnalysis): string {
  return createHash('sha256').update(canonicalJson(analysis)).digest('hex').slice(0, VERSION_DIGITS)
}

/** Normalizes an analysis to the one form in which it is stored, without empty fields. */
function normalized(given: StudyAnalysis): StudyAnalysis {
  const { title, settings, filter, participantQualityGradeItemMin, fromMs, toMs, ignored, offsets, aoiColors } = given
  const known = Object.entries(settings ?? {}).filter(([, value]) => value !== undefined)
  const people = (ignored ?? []).map(({ participantId, reason }) => ({
    participantId: participantId.toLowerCase(),
    reason: reason.trim(),
  }))
  const moved = (offsets ?? []).map(({ participantId, testId, dxPx, dyPx, source }) => ({
    participantId: participantId.toLowerCase(),
    ...(testId === undefined ? {} : { testId: testId.toLowerCase() }),
    // Adding 0 makes 0 of -0.
    dxPx: dxPx + 0,
    dyPx: dyPx + 0,
    source,
  }))
  const placeOf = ({ participantId, testId = '' }: GazeOffset) => participantId + testId
  const condition = filter?.trim()
  return {
    ...(title?.trim() ? { title: title.trim() } : {}),
    ...(known.length > 0 ? { settings: Object.fromEntries(known) } : {}),
    ...(condition ? { filter: condition } : {}),
    ...(participantQualityGradeItemMin === undefined ? {} : { participantQualityGradeItemMin }),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
    ...(people.length > 0 ? { ignored: people.sort((a, b) => (a.participantId < b.participantId ? -1 : 1)) } : {}),
    ...(moved.length > 0 ? { offsets: moved.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)) } : {}),
    ...(Object.keys(aoiColors ?? {}).length > 0 ? { aoiColors } : {}),
    ...(given.report ? { report: given.report } : {}),
  }
}

/**
 * Reads an analysis; null if there is none with that name, or no such version.
 *
 * @param version null for the current one
 * @throws ServiceError corrupt
 */
export async function readAnalysis(
  studyDir: string,
  name: string,
  version: string | null = null,
): Promise<AnalysisVersion | null> {
  if (!ANALYSIS_NAME.test(name)) return null
  const current = await readCurrent(studyDir, name)
  if (current === null) return null
  const wanted = version ?? current.version
  const content = await readSealed<AnalysisContent>(versionPath(studyDir, name, wanted), analysisSubject(name, wanted))
  if (content === null) {
    if (version !== null) return null
    throw new ServiceError('corrupt', `analysis ${name} has lost its version ${wanted}`)
  }
  const analysis = analysisIn(content, name)
  return { name, version: wanted, changedAt: wanted === current.version ? current.changedAt : null, analysis }
}

/** Lists the analyses of a study in their current versions, by name. @throws ServiceError corrupt */
export async function listAnalyses(studyDir: string): Promise<AnalysisVersion[]> {
  const found: AnalysisVersion[] = []
  for (const name of await analysisNames(studyDir)) {
    const stored = await readAnalysis(studyDir, name)
    if (stored !== null) found.push(stored)
  }
  return found
}

/** Target of a change of an analysis. @property ifMatch the version that must be current; null for any, or none */
type AnalysisTarget = { studyDir: string; name: string; ifMatch: string | null }

/**
 * Stores an analysis under a name, as a new version.
 *
 * @param check validates it under the lock of the analyses, and is told whether the name exists; throws what is wrong
 * @returns the stored analysis, and whether the name is new
 * @throws ServiceError moved_on if another version is current, invalid_param for too many, busy, disk_full
 */
export async function putAnalysis(
  { studyDir, name, ifMatch }: AnalysisTarget,
  given: StudyAnalysis,
  now: Date,
  check: (isThere: boolean) => Promise<void>,
): Promise<{ stored: AnalysisVersion; isNew: boolean }> {
  const analysis = normalized(given)
  return whileLocked(studyDir, async () => {
    const before = await readCurrent(studyDir, name)
    if (ifMatch !== null && before?.version !== ifMatch) throw movedOn(name)
    const isNew = before === null
    await check(!isNew)
    if (isNew && (await analysisNames(studyDir)).length >= ANALYSES_MAX) throw tooMany(name)
    return { stored: await write(studyDir, name, analysis, now), isNew }
  })
}

/** Deletes an analysis with all of its versions. @returns false if there is none @throws ServiceError moved_on, busy */
export async function deleteAnalysis({ studyDir, name, ifMatch }: AnalysisTarget): Promise<boolean> {
  return whileLocked(studyDir, async () => {
    const before = await readCurrent(studyDir, name)
    if (before === null) return false
    if (ifMatch !== null && before.version !== ifMatch) throw movedOn(name)
    await removeAnalysis(studyDir, name)
    return true
  })
}

/** Deletes all analyses of a removed study. @throws ServiceError busy */
export async function removeAnalyses(studyDir: string): Promise<void> {
  if (!(await isThere(join(studyDir, ANALYSES_FOLDER)))) return
  await whileLocked(studyDir, async () => {
    for (const name of await analysisNames(studyDir)) await removeAnalysis(studyDir, name)
  })
}

/**
 * Removes a participant from a study's analyses: deletes the versions that name them, and replaces a current one by a
 * version that does not.
 *
 * @param names the participant's id and other names, which a filter may contain
 */
export async function forgetInAnalyses(studyDir: string, names: string[], now: Date): Promise<void> {
  if (!(await isThere(join(studyDir, ANALYSES_FOLDER)))) return
  await whileLocked(studyDir, async () => {
    for (const name of await analysisNames(studyDir)) {
      const current = await readAnalysis(studyDir, name).catch(() => null)
      // A damaged analysis may name them.
      if (current === null) await removeAnalysis(studyDir, name)
      else await forgetInVersions(studyDir, current, names, now)
    }
  })
}

async function forgetInVersions(studyDir: string, current: AnalysisVersion, names: string[], now: Date): Promise<void> {
  const { name, version } = current
  const rest = without(current.analysis, names)
  if (versionOf(rest) !== version) await write(studyDir, name, rest, now)
  for (const each of await versionsOf(studyDir, name)) {
    const past = await readAnalysis(studyDir, name, each).catch(() => null)
    if (past !== null && versionOf(without(past.analysis, names)) === each) continue
    await rm(versionPath(studyDir, name, each), { force: true })
  }
  await syncDirectory(join(studyDir, ANALYSES_FOLDER, name))
}

/**
 * Returns an analysis without any mention of a participant. In a filter, a placeholder that equals nothing replaces
 * them.
 */
function without(analysis: StudyAnalysis, names: string[]): StudyAnalysis {
  const known = names.map((name) => name.toLowerCase())
  const isNamed = (text: string) => known.includes(text.replaceAll("''", "'").toLowerCase())
  const { filter, ignored = [], offsets = [], report } = analysis
  const unnamed = (condition: string) =>
    condition.replace(/'((?:[^']|'')*)'/g, (literal, text: string) => (isNamed(text) ? "'removed'" : literal))
  return normalized({
    ...analysis,
    filter: filter && unnamed(filter),
    ignored: ignored.filter(({ participantId }) => !known.includes(participantId)),
    offsets: offsets.filter(({ participantId }) => !known.includes(participantId)),
    report: report && reportWithout(report, known, unnamed),
  })
}

/**
 * Returns the contents of a report without the figures of participants on its board, and without their names in the
 * conditions of its groups.
 */
function reportWithout(report: string, known: string[], unnamed: (condition: string) => string): string {
  const query = new URLSearchParams(report)
  const board = query.get('board')?.split('_') ?? []
  const rest = board.filter((entry) => !known.some((id) => entry.toLowerCase().endsWith(`.${id}`)))
  if (rest.length < board.length) query.set('board', rest.join('_'))
  for (const [name, value] of [...query]) {
    if (/^group\d$/.test(name) && unnamed(value) !== value) query.set(name, unnamed(value))
  }
  // As given, unless something was taken out.
  return query.toString() === new URLSearchParams(report).toString() ? report : query.toString()
}

/** Reports damaged files of analyses. @returns number of files */
export async function checkAnalyses(dataDir: string, report: (sentence: string) => void): Promise<number> {
  let files = 0
  for (const studyId of (await namesIn(studiesDirectory(dataDir))).filter((name) => UUID.test(name)).sort()) {
    const studyDir = studyDirectory(dataDir, studyId)!
    for (const name of await analysisNames(studyDir)) {
      for (const version of [null, ...(await versionsOf(studyDir, name))]) {
        files++
        await readAnalysis(studyDir, name, version).catch((error: unknown) => {
          if (!(error instanceof ServiceError)) throw error
          report(`Study ${studyId}: ${ANALYSES_FOLDER}/${name}/${error.message}.`)
        })
      }
    }
  }
  return files
}

async function write(studyDir: string, name: string, analysis: StudyAnalysis, now: Date): Promise<AnalysisVersion> {
  const directory = join(studyDir, ANALYSES_FOLDER, name)
  if ((await makeDirectory(directory)) !== undefined) {
    await syncDirectory(join(studyDir, ANALYSES_FOLDER))
    await syncDirectory(studyDir)
  }
  const version = versionOf(analysis)
  const changedAt = now.toISOString()
  const content = contentOf(analysis)
  await createDurably(versionPath(studyDir, name, version), seal(content, analysisSubject(name, version)(content)))
  const current: Current = { version, changedAt }
  await replaceDurably(join(directory, CURRENT), seal(current, subjectOfCurrent(name)))
  return { name, version, changedAt, analysis }
}

export async function removeAnalysis(studyDir: string, name: string): Promise<void> {
  const directory = join(studyDir, ANALYSES_FOLDER, name)
  await rm(join(directory, CURRENT), { force: true })
  await rm(directory, { recursive: true, force: true })
  await syncDirectory(join(studyDir, ANALYSES_FOLDER))
}

function readCurrent(studyDir: string, name: string): Promise<Current | null> {
  return readSealed<Current>(join(studyDir, ANALYSES_FOLDER, name, CURRENT), subjectOfCurrent(name))
}

export async function analysisNames(studyDir: string): Promise<string[]> {
  return (await namesIn(join(studyDir, ANALYSES_FOLDER))).filter((name) => ANALYSIS_NAME.test(name)).sort()
}

export async function versionsOf(studyDir: string, name: string): Promise<string[]> {
  const names = await namesIn(join(studyDir, ANALYSES_FOLDER, name))
  return names.flatMap((file) => /^([0-9a-f]{12})\.json$/.exec(file)?.[1] ?? [])
}

function versionPath(studyDir: string, name: string, version: string): string {
  return join(studyDir, ANALYSES_FOLDER, name, `${version}.json`)
}

/** Returns what the file of a version is about. */
export function analysisSubject(name: string, version: string): (content: AnalysisContent) => string {
  const subject = `analysis ${name}@${version}`
  return ({ format }) => (format === undefined ? subject : `${subject} of format ${format}`)
}

function contentOf(analysis: StudyAnalysis): AnalysisContent {
  return analysis.offsets === undefined ? analysis : { format: FORMAT_WITH_OFFSETS, ...analysis }
}

/** Returns the analysis that a file holds. @throws ServiceError other_format */
export function analysisIn(
  { format = FORMAT_WITH_OFFSETS, ...analysis }: AnalysisContent,
  name: string,
): StudyAnalysis {
  if (format === FORMAT_WITH_OFFSETS) return analysis
  throw new ServiceError(
    'other_format',
    `analysis ${name} is stored in format ${format}, of a later version of Gazette, and this one reads formats up to ${FORMAT_WITH_OFFSETS}: read it with that version`,
  )
}

export function subjectOfCurrent(name: string): string {
  return `current analysis ${name}`
}

function tooMany(name: string): ServiceError {
  const rule = `must be one of at most ${ANALYSES_MAX} analyses of a study`
  return refusedParameter({ parameter: 'name', rule, value: name })
}

function movedOn(name: string): ServiceError {
  return new ServiceError('moved_on', `analysis ${name} has another version`)
}

/**
 * Lock of the analyses of a study, separate from that of the study, which an import may hold for long without changing
 * analyses.
 */
export async function whileLocked<T>(studyDir: string, work: () => Promise<T>): Promise<T> {
  const directory = join(studyDir, ANALYSES_FOLDER)
  const lock = await takeLockWithin(join(directory, LOCK), LOCK_WAIT_MS)
  if (lock === null) throw new ServiceError('busy', 'another process is changing the analyses of this study')
  try {
    return await work()
  } finally {
    await lock.release()
    await removeIfEmpty(directory)
  }
}
