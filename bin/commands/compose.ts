import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { isCode } from '../../engine/model/system-errors.ts'
import { VERSION } from '../../engine/model/version.ts'
import { checkParts, openPart, type PartFile } from '../../engine/run/parts/part-file.ts'
import { fromParts } from '../../engine/run/parts/run-part.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { openObject } from '../../engine/storage/objects/object-file.ts'
import type { ObjectStore } from '../../engine/storage/objects/object-store.ts'
import { fileFormat } from '../output/file-format.ts'
import { isAddress, withAddresses } from '../output/object-addresses.ts'
import { refuseOutput, writeTable } from '../output/write-table.ts'
import { audit } from '../runtime/audit.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { refusalOf } from '../terminal/file-refusals.ts'
import { stoppable } from '../terminal/stoppable.ts'
import type { Making } from './making.ts'

/** Runs `gazette compose`: makes the file of an export from all of its parts. */
export async function compose(given: {
  parts: string[]
  output?: string
  force?: boolean
  config: Config
}): Promise<void> {
  const { parts: paths, output, force = false, config } = given
  await stoppable((signal) =>
    withAddresses(async (find) => {
      const parts: PartFile[] = []
      for (const path of paths)
        parts.push(...(isAddress(path) ? await openObjects(await find(path), path) : [await open(path)]))
      await composeTo({ parts, output, force, config, signal })
    }, signal),
  )
}

async function composeTo(given: Omit<Making, 'snapshot' | 'format'> & { parts: PartFile[] }): Promise<void> {
  const { parts, output, force, config, signal } = given
  checkParts(parts, VERSION)
  const [{ plan }] = parts
  await refuseOutput(output, fileFormat(plan.format ?? 'csv', output), force, signal)
  const about = { what: plan.export, work: { samples: 0, bytes: 0 }, output, config, signal }
  const bytes = await withStudies(
    config,
    async (studies) => {
      const snapshot = await studies.load(plan.studyId, plan.snapshotId).catch((error) => {
        if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
        const what = `study ${plan.studyId} as it was when ${parts[0].name} was made`
        throw new ServiceError(
          'usage',
          `${config.storeUrl || config.dataDir} does not have ${what}: give its directory by --data or its store by STORE_URL, or make the parts again`,
        )
      })
      return writeTable(about, ({ pool, ...options }) =>
        runExport({ plan, gzip: false, ...options, ...fromParts(parts, { pool, snapshot }) }),
      )
    },
    signal,
  )
  await audit(config.dataDir, { event: 'export', study: plan.studyId, export: plan.export, bytes })
}

async function open(path: string): Promise<PartFile> {
  try {
    return await openPart(path)
  } catch (error) {
    throw refusalOf(error, path, 'read') ?? error
  }
}

/** Opens the part at an address, or those directly in a folder. */
async function openObjects(
  { store, key, isFolder }: { store: ObjectStore; key: string; isFolder: boolean },
  address: string,
): Promise<PartFile[]> {
  const keys = isFolder ? [] : [key]
  if (isFolder)
    for await (const { key: each } of store.list(key)) if (!each.slice(key.length).includes('/')) keys.push(each)
  if (keys.length === 0) throw new ServiceError('usage', `${address} cannot be read: it holds no object`)
  const parts: PartFile[] = []
  for (const each of keys) {
    try {
      parts.push(await openPart(each, async () => openObject(store, each)))
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error
      throw new ServiceError('usage', `${address} cannot be read: there is no such object`)
    }
  }
  return parts
}
