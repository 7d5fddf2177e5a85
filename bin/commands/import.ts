import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { sampleLimits } from '../../engine/import/bundle/bundle-limits.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import type { ImportResult } from '../../engine/import/import-options.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { openStore } from '../../engine/snapshot/snapshots.ts'
import { audit } from '../audit.ts'
import { checkStudy, convert, type ForeignOptions, isBundle, refuseForeign } from '../convert-foreign.ts'
import { grouped } from '../count.ts'
import { heldText } from '../counts-text.ts'
import { progressLine } from '../progress.ts'
import { stoppable } from '../stoppable.ts'

type Importing = {
  directory: string
  append: boolean
  extendsStudy?: boolean
  dryRun: boolean
  config: Config
  signal: AbortSignal
}

/** Runs `gazette import`: imports a bundle as it is, and anything else by way of a temporary bundle. */
export async function importStudy({
  paths,
  append = false,
  replace,
  dryRun = false,
  config,
  ...options
}: ForeignOptions & {
  paths: string[]
  append?: boolean
  replace?: boolean
  dryRun?: boolean
  config: Config
}): Promise<void> {
  if (paths.length === 1 && isBundle(paths[0])) {
    refuseForeign({ ...options, replace }, paths[0])
    return stoppable((signal) => importDirectory({ directory: paths[0], append, dryRun, config, signal }))
  }
  if (append)
    return stoppable((signal) => addRecordings(paths, options, { directory: '', append, dryRun, config, signal }))
  await stoppable(async (signal) => {
    await mkdir(config.dataDir, { recursive: true })
    await inTemporaryBundle(config, async (directory) => {
      const importing = { directory, append, dryRun, config, signal }
      const { counts } = await convert(paths, directory, options, config, signal)
      await refuseReplacing(counts.studyId, replace === true, importing)
      await importDirectory(importing)
    })
  })
}

async function inTemporaryBundle(config: Config, work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(config.dataDir, 'convert-'))
  try {
    await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Adds recordings to the study that they belong to; says so where it has all of them. */
async function addRecordings(paths: string[], options: ForeignOptions, importing: Importing): Promise<void> {
  const { config, signal } = importing
  checkStudy(options.study)
  const { findStudy } = await import('../../engine/recordings/find-study.ts')
  const { NothingNew } = await import('../../engine/recordings/convert-recordings.ts')
  const given = paths.map((path) => resolve(path))
  const continued = await findStudy(config.dataDir, given, options.study?.toLowerCase() ?? null)
  const { id, name } = continued.study
  if (options.name !== undefined && options.name !== name)
    throw new ServiceError('usage', `study ${id} is called ${name}, not ${options.name}: leave out --name`)
  console.error(`Adds to study ${name} (${id}).`)
  try {
    await inTemporaryBundle(config, async (directory) => {
      await convert(paths, directory, options, config, signal, continued)
      await importDirectory({ ...importing, directory, extendsStudy: true })
    })
  } catch (error) {
    if (!(error instanceof NothingNew)) throw error
    console.error(`Nothing to add: ${error.message}.`)
    console.log(id)
  }
}

/**
 * Refuses to put recordings in place of a study that is there and is not the same, unless that is asked for.
 *
 * @throws ServiceError usage, naming what would go
 */
async function refuseReplacing(studyId: string, replace: boolean, importing: Importing): Promise<void> {
  const current = await openStore(importing.config.dataDir).current(studyId)
  if (current === null) return
  const { snapshotId } = await importBundle({ ...importOptions(importing), dryRun: true })
  if (snapshotId === current.id) return
  const there = `study ${current.study.name} (${studyId}), which holds ${heldText(current.manifest.counts)}`
  if (replace) return console.error(`Replaces ${there}.`)
  throw new ServiceError(
    'usage',
    `these recordings belong to ${there}: add --replace to put them in its place, --append to add them, or --study to give them another id`,
  )
}

function importOptions({ directory, append, extendsStudy, dryRun, config, signal }: Importing) {
  const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
  const limits = sampleLimits(config)
  return { dataDir, directory, append, extendsStudy, dryRun, now: new Date(), threads, memoryMib, limits, signal }
}

async function importWithProgress(importing: Importing): Promise<ImportResult> {
  const line = progressLine('import')
  const onProgress = (done: number, total: number) =>
    line.show(total === 0 ? 0 : done / total, `${grouped(done)} of ${grouped(total)} samples`)
  try {
    return await importBundle({ ...importOptions(importing), onProgress })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'canceled') throw error
    throw new ServiceError('canceled', 'the import was canceled: nothing was published, and nothing is left of it', {
      cause: error,
    })
  } finally {
    line.done()
  }
}

async function importDirectory(importing: Importing): Promise<void> {
  const { studyId, snapshotId, published, counts } = await importWithProgress(importing)
  if (published) await audit(importing.config.dataDir, { event: 'import', study: studyId, snapshot: snapshotId })
  if (importing.dryRun) console.error(`The bundle is fine: ${heldText(counts)}. Nothing was published.`)
  else if (published) console.error(`Published study ${studyId}: ${heldText(counts)}.`)
  else console.error(`Study ${studyId} holds exactly this already: nothing to publish.`)
  console.log(studyId)
}
