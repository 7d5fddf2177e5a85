import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { importBundle } from '../engine/import/import.ts'
import type { Config } from '../engine/model/settings.ts'
import { count } from './count.ts'
import { convert, type ForeignOptions, isBundle, refuseForeign } from './foreign.ts'
import { stoppable } from './stoppable.ts'

/** `gazette import`: a bundle as it is, anything else by way of a bundle that nobody sees. */
export async function importStudy({
  paths,
  append,
  dryRun,
  config,
  ...options
}: ForeignOptions & { paths: string[]; append?: boolean; dryRun?: boolean; config: Config }): Promise<void> {
  if (paths.length === 1 && isBundle(paths[0])) {
    refuseForeign(options, paths[0])
    return importDirectory({ directory: paths[0], append, dryRun, config })
  }
  await mkdir(config.dataDir, { recursive: true })
  const directory = await mkdtemp(join(config.dataDir, 'convert-'))
  try {
    await stoppable(async (signal) => {
      await convert(paths, directory, options, config, signal)
      await importDirectory({ directory, append, dryRun, config, signal })
    })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function importDirectory({
  directory,
  append = false,
  dryRun = false,
  config,
  signal,
}: {
  directory: string
  append?: boolean
  dryRun?: boolean
  config: Config
  signal?: AbortSignal
}): Promise<void> {
  const { studyId, published, counts } = await importBundle({
    dataDir: config.dataDir,
    directory,
    append,
    dryRun,
    now: new Date(),
    threads: config.engineThreads,
    memoryMib: config.engineMemoryMib,
    signal,
  })
  const { participants, items, tests, samples } = counts
  const held = `${count(participants, 'participant')}, ${count(items, 'item')}, ${count(tests, 'test')}, ${count(samples, 'sample')}`
  if (dryRun) console.error(`The bundle is fine: ${held}. Nothing was published.`)
  else if (published) console.error(`Published study ${studyId}: ${held}.`)
  else console.error(`Study ${studyId} holds exactly this already: nothing to publish.`)
  console.log(studyId)
}
