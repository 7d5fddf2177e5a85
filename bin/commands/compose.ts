import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { VERSION } from '../../engine/model/version.ts'
import { checkParts, openPart, type PartFile } from '../../engine/parts/part-file.ts'
import { partPool } from '../../engine/parts/run-part.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { openStore } from '../../engine/snapshot/snapshots.ts'
import { audit } from '../audit.ts'
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
  const snapshot = await openStore(config.dataDir).load(plan.studyId, plan.snapshotId)
  const about = { what: plan.export, samples: 0, output, config }
  const bytes = await writeTable(about, ({ pool, ...options }) =>
    runExport({ plan, snapshot, pool: partPool(parts, pool), gzip: false, ...options }),
  )
  await audit(config.dataDir, { event: 'export', study: plan.studyId, export: plan.export, bytes })
}

async function open(path: string): Promise<PartFile> {
  try {
    return await openPart(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof ServiceError || !code) throw error
    throw new ServiceError('usage', `${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}`)
  }
}
