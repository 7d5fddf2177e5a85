import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sampleLimits } from '../../engine/import/bundle/bundle-limits.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import type { ImportResult } from '../../engine/import/import-options.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { openStore } from '../../engine/snapshot/snapshots.ts'
import { audit } from '../audit.ts'
import { convert, type ForeignOptions, isBundle, refuseForeign } from '../convert-foreign.ts'
import { grouped } from '../count.ts'
import { heldText } from '../counts-text.ts'
import { progressLine } from '../progress.ts'
import { stoppable } from '../stoppable.ts'

type Importing = { directory: string; append: boolean; dryRun: boolean; config: Config; signal: AbortSignal }

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
  await stoppable(async (signal) => {
    await mkdir(config.dataDir, { recursive: true })
    const directory = await mkdtemp(join(config.dataDir, 'convert-'))
    const importing = { directory, append, dryRun, config, signal }
    try {
      const { counts } = await convert(paths, directory, options, config, signal)
      if (!append) await refuseReplacing(counts.studyId, replace === true, importing)
      await importDirectory(importing)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })
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

function importOptions({ directory, append, dryRun, config, signal }: Importing) {
  const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
  const limits = sampleLimits(config)
  return { dataDir, directory, append, dryRun, now: new Date(), threads, memoryMib, limits, signal }
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
