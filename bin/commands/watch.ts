import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nextAfter } from '../../engine/jobs/faults.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { isDiskFull } from '../../engine/model/system-errors.ts'
import type { FileImportResult } from '../../engine/uploads/import-files.ts'
import { wasPublished } from '../../engine/uploads/was-published.ts'
import { conversionText } from '../given/convert-foreign.ts'
import { withStudies } from '../runtime/open-studies.ts'
import { type Entry, openWatchedFolder, type WatchedFolder } from '../runtime/watched-folder.ts'
import { problemTexts } from '../terminal/problem-texts.ts'
import { asCalled } from '../terminal/program-name.ts'
import { stoppable } from '../terminal/stoppable.ts'
import { onParentEnd } from '../terminal/until-stopped.ts'
import { type ImportFlags, importPaths, refuseBoth, refuseExisting, resultText } from './import.ts'

const LOOK_EVERY_MS = 1000
/** Back-off after a transient fault of an import. */
const PUT_OFF_MS = 10_000

/** State of a watch. @property tries number of failed tries of each entry, by its name and state */
type Watching = {
  folder: WatchedFolder
  choices: ImportFlags
  config: Config
  signal: AbortSignal
  tries: Map<string, number>
}

/** Runs `gazette watch`: imports the entries of a folder, one by one, until it is stopped. */
export async function watch({
  directory,
  settle,
  config,
  ...choices
}: ImportFlags & { directory: string; settle: number; config: Config }): Promise<void> {
  refuseBoth(choices)
  await stoppable(async (stopped) => {
    const orphaned = new AbortController()
    const ignoreParent = onParentEnd(config, () => orphaned.abort())
    const signal = AbortSignal.any([stopped, orphaned.signal])
    const folder = await openWatchedFolder(directory, settle * 1000, config.dataDir)
    const putOff = new Map<string, number>()
    const tries = new Map<string, number>()
    try {
      await finishInterrupted(folder, config)
      console.error(`Watching ${directory}; Ctrl-C stops it.`)
      while (!signal.aborted) {
        for (const entry of await folder.settled()) {
          if (signal.aborted || (putOff.get(entry.name) ?? 0) > performance.now()) continue
          if (await takeEntry({ folder, choices, config, signal, tries }, entry)) putOff.delete(entry.name)
          else putOff.set(entry.name, performance.now() + PUT_OFF_MS)
        }
        await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
      }
    } finally {
      ignoreParent()
      await folder.close()
    }
  })
}

/** Moves entries that a killed process had published but not yet moved. */
async function finishInterrupted(folder: WatchedFolder, config: Config): Promise<void> {
  const intent = await folder.noted()
  if (intent === null || !(await folder.isSame(intent))) return
  const { studyId, snapshotId } = intent
  if (!(await withStudies(config, (studies) => wasPublished(studies, studyId, snapshotId)))) return
  await settle(folder, intent, 'done', [`Published study ${studyId} before this was stopped.`])
}

/** Imports one entry and moves it. Returns false if it must be retried. */
async function takeEntry(watching: Watching, entry: Entry): Promise<boolean> {
  const { folder, signal } = watching
  try {
    const result = await importEntry(watching, entry)
    const texts = result.conversion ? conversionText(result.conversion) : []
    await settle(folder, entry, 'done', [
      ...texts,
      ...result.left.map((name) => `Left: ${name}.`),
      resultText(result, false),
    ])
    return true
  } catch (error) {
    if (signal.aborted || !(await folder.isSame(entry))) return false
    const message = error instanceof Error ? error.message : String(error)
    if (isTriedAgain(watching, entry, error)) {
      console.error(`${entry.name}: ${message}; tried again later`)
      return false
    }
    if (!(error instanceof ServiceError)) console.error(error)
    await settle(folder, entry, 'refused', [...problemTexts(error), `Refused: ${message}.`])
    return true
  }
}

/** Imports an entry: into its study, if that exists and may grow; otherwise as a new study. */
async function importEntry({ folder, choices, config, signal }: Watching, entry: Entry): Promise<FileImportResult> {
  const paths = [join(folder.path, entry.name)]
  const more = {
    onExisting: (there: Parameters<typeof refuseExisting>[0]) => refuseExisting(there, choices.replace === true),
    beforePublish: ({ studyId, snapshotId }: { studyId: string; snapshotId: string }) =>
      folder.note({ ...entry, studyId, snapshotId }),
  }
  try {
    return await importPaths(paths, choices, config, signal, more)
  } catch (error) {
    const isFirst = choices.append && error instanceof ServiceError && error.code === 'not_found'
    if (!isFirst) throw error
    return importPaths(paths, { ...choices, append: false }, config, signal, more)
  }
}

async function settle(
  folder: WatchedFolder,
  entry: Entry,
  outcome: 'done' | 'refused',
  lines: string[],
): Promise<void> {
  const place = await folder.move(entry, outcome, asCalled(`${lines.join('\n')}\n`))
  console.log(asCalled(`${place}: ${lines.at(-1)}`))
}

/** Returns whether to retry an entry after a fault. A full disk, or another import, does not count as a try. */
function isTriedAgain({ tries }: Watching, { name, state }: Entry, error: unknown): boolean {
  const key = `${name} ${state}`
  const next = isDiskFull(error) ? 'waits' : nextAfter(error, (tries.get(key) ?? 0) + 1)
  if (next === 'tried again') tries.set(key, (tries.get(key) ?? 0) + 1)
  else tries.delete(key)
  return next !== 'over'
}
