import { join } from 'node:path'
import { sampleLimits } from '../../engine/import/bundle/bundle-limits.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { isCode } from '../../engine/model/system-errors.ts'
import type { FoundFiles } from '../../engine/recordings/convert/found-files.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { makeDirectory } from '../../engine/storage/files/durable.ts'
import { withScratch } from '../../engine/storage/files/scratch.ts'
import type { Home } from '../../engine/study/home.ts'
import { hasDataOf } from '../../engine/study/merged-snapshot.ts'
import { type FileImport, type ImportStage, importFiles } from '../../engine/uploads/import-files.ts'
import { type ImportJob, type ImportReport, type ImportRequest, noteIntent } from '../../engine/uploads/import-job.ts'
import type { Uploads } from '../../engine/uploads/open-uploads.ts'
import { choicesMade, readChoices } from '../../engine/uploads/read-choices.ts'
import type { Log } from '../tries/job-context.ts'
import type { RunAlone, Try } from '../tries/try.ts'
import { countStudy } from './compare-import.ts'

export type ImportContext = Pick<Home, 'studies' | 'place' | 'records'> & {
  config: Pick<
    Config,
    | 'dataDir'
    | 'engineThreads'
    | 'engineMemoryMib'
    | 'importMaxSamples'
    | 'videoMaxMib'
    | 'importMaxGib'
    | 'jobDeathsMax'
  >
  log: Log
  runAlone?: RunAlone
  uploads: Uploads
  /** Function that reads the files and publishes their content: the engine, unless another is given. */
  importFiles?: typeof importFiles
}

/** Estimated share of the work at which each stage begins and ends. */
const STAGES: Record<ImportStage, [number, number]> = { unpack: [0, 10], convert: [10, 50], import: [50, 100] }

/**
 * Carries out a request for an import: places its files, reads them, and publishes their content. A dry run of a
 * replacement publishes into a temporary folder, to compare the two.
 *
 * @param onFound called with the recognised formats of a dry run
 * @throws ServiceError without paths of this machine
 */
export async function performImport(
  job: ImportJob,
  context: ImportContext,
  aTry: Try,
  onFound: (found: FoundFiles) => void,
): Promise<ImportReport> {
  const { config, studies, uploads, importFiles: importWith = importFiles } = context
  const { dataDir, engineMemoryMib } = config
  const { request } = job
  const { dryRun, studyId, replaces = false } = request
  const { signal } = aTry
  const { choices: foreign, faults } = readChoices(request.choices)
  if (faults.length > 0)
    throw new ServiceError('usage', faults.map(({ name, message }) => `${name}: ${message}`).join('; '))
  return withScratch(dataDir, async (scratch) => {
    const paths = request.demo
      ? [await placeDemo(scratch, engineMemoryMib, signal)]
      : await placeUploads(uploads, request.uploads, scratch)
    const replaced = replaces ? await studies.current(studyId!) : null
    if (replaces && replaced === null) throw new ServiceError('not_found', `there is no study ${studyId}`)
    const files = { paths, scratch: join(scratch, 'work'), foreign, ...(replaced === null ? {} : { replaced }) }
    const read = { ...files, ...readingOf(job, context, aTry), ...(dryRun ? { onFound } : {}) }
    try {
      if (replaced === null || !dryRun) return await importWith({ ...read, ...publishing(request, replaced, context) })
      // The result is known only once it is complete.
      const trialDir = join(scratch, 'trial')
      const result = await importWith({ ...read, dataDir: trialDir, dryRun: false })
      const next = (await openStudies(trialDir).current(result.studyId))!
      const [before, after] = [await countStudy(replaced, signal), await countStudy(next, signal)]
      return { ...result, published: false, change: { before, after } }
    } catch (error) {
      throw withoutPaths(error, [join(scratch, 'work'), scratch])
    }
  })
}

/** Returns where an import publishes, and what must be current there. */
function publishing(request: ImportRequest, replaced: Snapshot | null, { config, place, studies }: ImportContext) {
  const { dataDir } = config
  return { dataDir, place, studies, ifMatch: matchOf(request, replaced), dryRun: request.dryRun }
}

/** Returns how the files of a job are read, and what is done with what they hold. */
function readingOf(
  { id, request }: ImportJob,
  { config, records }: ImportContext,
  { startedAt, signal, onProgress }: Try,
) {
  const { append, dryRun, choices, studyId, project, reach, replaces = false, tokenId } = request
  let conversion: ImportReport['conversion'] = null
  let left: string[] = []
  return {
    ...{ append, tokenId, signal, now: startedAt },
    ...(studyId === null ? {} : { studyId }),
    ...(project === undefined ? {} : { project }),
    ...(reach === undefined ? {} : { reach }),
    threads: config.engineThreads,
    memoryMib: config.engineMemoryMib,
    limits: sampleLimits(config),
    onProgress: progressFrom(startedAt, onProgress),
    onBundle: () => refuseChoices(choicesMade(choices)),
    onUnpacked: (names) => {
      left = names
    },
    onConverted: (made) => {
      conversion = made
    },
    onExisting: ({ study: { id: there, name } }) => {
      if (replaces) return
      const rule = `${name} (${there}) is there already, with other data: add the files to it, or replace it`
      throw new ServiceError('exists', `the study ${rule}`)
    },
    beforePublish: (publication) =>
      dryRun ? Promise.resolve() : noteIntent(records, id, { ...publication, conversion, left, nothingNew: null }),
  } satisfies Partial<FileImport>
}

/**
 * Returns the snapshot that must still be current: the one that the client saw, or the same data after a merge of
 * files.
 */
function matchOf({ match = null }: ImportRequest, present: Snapshot | null): string | null {
  return match !== null && present !== null && hasDataOf(present.manifest, match) ? present.id : match
}

/** Writes the bundle of the demo study. Returns its folder. */
async function placeDemo(scratch: string, memoryMib: number, signal: AbortSignal): Promise<string> {
  const { FIRST_DEMO, writeDemoBundle } = await import('../../demo/write-demo.ts')
  const directory = join(scratch, 'demo')
  await writeDemoBundle({ directory, ...FIRST_DEMO, memoryMib, signal })
  return directory
}

/** Links uploads under their given names, each in a folder of its own if two have the same name. */
async function placeUploads(
  { place }: Uploads,
  uploads: { id: string; name: string }[],
  scratch: string,
): Promise<string[]> {
  const paths: string[] = []
  for (const [i, { id, name }] of uploads.entries()) {
    const isTwice = uploads.findIndex((other) => other.name === name) < i
    const directory = isTwice ? join(scratch, `upload-${i + 1}`) : join(scratch, 'uploads')
    await makeDirectory(directory, 0o700)
    try {
      await place(id, join(directory, name))
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error
      throw new ServiceError('not_found', `the upload ${id} is gone: send it again`)
    }
    paths.push(join(directory, name))
  }
  return paths
}

function refuseChoices(made: string[]): void {
  if (made.length === 0) return
  throw new ServiceError('usage', `it is a study bundle, which needs no such options: leave out ${made.join(', ')}`)
}

/** Removes paths of this machine from messages about files. */
function withoutPaths(error: unknown, directories: string[]): unknown {
  if (!(error instanceof ServiceError)) return error
  let { message } = error
  for (const directory of directories) message = message.replaceAll(`${directory}/`, '')
  return new ServiceError(error.code, message, { problems: error.problems, faults: error.faults, cause: error })
}

/** Returns a function that reports the progress of an import. */
function progressFrom(startedAt: Date, onProgress: Try['onProgress']): NonNullable<FileImport['onProgress']> {
  const from = { rows: 0, bytes: 0, etaSeconds: null, startedAt: startedAt.toISOString() }
  onProgress({ ...from, percent: 0, samplesDone: 0, samplesTotal: 0 })
  return (stage, share, samplesDone, samplesTotal) => {
    const [begins, ends] = STAGES[stage]
    const percent = Math.floor(begins + (ends - begins) * share)
    onProgress({ ...from, percent, samplesDone, samplesTotal: samplesTotal ?? samplesDone })
  }
}
