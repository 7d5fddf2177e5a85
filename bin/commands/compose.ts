import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { VERSION } from '../../engine/model/version.ts'
import { checkParts, openPart, type PartFile } from '../../engine/parts/part-file.ts'
import { partPool } from '../../engine/parts/run-part.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { withSampleFile } from '../../engine/snapshot/hold-samples.ts'
import { audit } from '../audit.ts'
import { refusalOf } from '../file-refusals.ts'
import { withStudies } from '../open-studies.ts'
import { refuseOutput, writeTable } from '../write-table.ts'

/** Runs `gazette compose`: makes the file of an export from all of its parts. */
export async function compose({
  parts: paths,
  output,
  force = false,
  config,
}: {
  parts: string[]
  output?: string
  force?: boolean
  config: Config
}): Promise<void> {
  const parts: PartFile[] = []
  for (const path of paths) parts.push(await open(path))
  checkParts(parts, VERSION)
  const [{ plan }] = parts
  refuseOutput(output, plan.format ?? 'csv', force)
  const about = { what: plan.export, samples: 0, output, config }
  const bytes = await withStudies(config, async (studies) => {
    const { hold, ...snapshot } = await studies.load(plan.studyId, plan.snapshotId).catch((error) => {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
      const what = `study ${plan.studyId} as it was when ${parts[0].name} was made`
      throw new ServiceError(
        'usage',
        `${config.dataDir} does not have ${what}: name its directory by --data, or make the parts again`,
      )
    })
    return writeTable(about, ({ pool, ...options }) => {
      // Samples are read for one shard at most, and not to be fetched for the others.
      const compute: typeof pool.compute = (task, isUrgent) =>
        withSampleFile({ hold }, task.file, () => pool.compute(task, isUrgent))
      const from = partPool(parts, { ...pool, compute })
      return runExport({ plan, snapshot, pool: from, gzip: false, ...options })
    })
  })
  await audit(config.dataDir, { event: 'export', study: plan.studyId, export: plan.export, bytes })
}

async function open(path: string): Promise<PartFile> {
  try {
    return await openPart(path)
  } catch (error) {
    throw refusalOf(error, path, 'read') ?? error
  }
}
