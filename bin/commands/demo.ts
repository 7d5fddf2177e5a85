import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DemoSize, writeDemoBundle } from '../../demo/write-demo.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import type { ImportResult } from '../../engine/import/import-options.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { makeDirectory } from '../../engine/storage/files/durable.ts'
import { viewReport } from '../../server/uploads/report-view.ts'
import { checkProjectName } from '../given/find-project.ts'
import { printJson } from '../output/print-json.ts'
import { audit } from '../runtime/audit.ts'
import { withHome } from '../runtime/open-studies.ts'
import { grouped } from '../terminal/count.ts'
import { progressLine } from '../terminal/progress.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Runs `gazette demo`. */
export async function demo({
  json = false,
  project,
  config,
  ...size
}: DemoSize & { json?: boolean; project?: string; config: Config }): Promise<void> {
  if (project !== undefined) checkProjectName(project)
  const result = await makeDemo(size, config, project)
  const { studyId, counts } = result
  console.error(`Published demo study ${studyId}: ${grouped(counts.samples)} samples.`)
  if (json) printJson('demo', viewReport({ ...result, conversion: null, left: [], nothingNew: null }))
  else console.log(studyId)
}

/**
 * Makes a synthetic study under the data directory, imports it, and deletes its bundle.
 *
 * @throws ServiceError canceled when stopped
 */
export async function makeDemo(size: DemoSize, config: Config, project?: string): Promise<ImportResult> {
  return stoppable((signal) => makeDemoUntil(signal, size, config, project))
}

async function makeDemoUntil(signal: AbortSignal, size: DemoSize, config: Config, project: string | undefined) {
  const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
  await makeDirectory(dataDir)
  const directory = await mkdtemp(join(dataDir, 'demo-'))
  const line = progressLine('demo')
  try {
    const onProgress = (done: number, total: number) => {
      if (signal.aborted) throw new ServiceError('canceled', 'the demo study was not created')
      line.show(done / total, `${grouped(done)} samples`)
    }
    await writeDemoBundle({ directory, ...size, memoryMib, onProgress })
    const importing = { dataDir, directory, append: false, dryRun: false, now: new Date(), threads, memoryMib, signal }
    const result = await withHome(
      config,
      ({ studies, place }) => importBundle({ ...importing, studies, place, project }),
      signal,
    )
    await audit(dataDir, { event: 'import', study: result.studyId, snapshot: result.snapshotId })
    return result
  } finally {
    line.done()
    await rm(directory, { recursive: true, force: true })
  }
}
