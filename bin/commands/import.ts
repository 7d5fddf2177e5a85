import { sampleLimits } from '../../engine/import/bundle/bundle-limits.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { withScratch } from '../../engine/storage/files/scratch.ts'
import type { Home } from '../../engine/study/home.ts'
import { type FileImport, type FileImportResult, importFiles } from '../../engine/uploads/import-files.ts'
import { viewReport } from '../../server/uploads/report-view.ts'
import {
  conversionText,
  type ForeignOptions,
  foreignChoices,
  givenStudyId,
  refuseForeign,
} from '../given/convert-foreign.ts'
import { checkProjectName } from '../given/find-project.ts'
import { givenPaths } from '../given/given-paths.ts'
import { printJson } from '../output/print-json.ts'
import { audit } from '../runtime/audit.ts'
import { withHome } from '../runtime/open-studies.ts'
import { grouped } from '../terminal/count.ts'
import { heldText } from '../terminal/counts-text.ts'
import { printable } from '../terminal/printable.ts'
import { progressLine } from '../terminal/progress.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Texts of the command line about an import, besides its report. */
export type ImportFlags = ForeignOptions & {
  append?: boolean
  replace?: boolean
  dryRun?: boolean
  project?: string
}

/** Runs `gazette import`: imports a bundle directly, and recordings by way of a temporary bundle. */
export async function importStudy({
  paths,
  json = false,
  config,
  ...choices
}: ImportFlags & { paths: string[]; json?: boolean; config: Config }): Promise<void> {
  refuseBoth(choices)
  await stoppable(async (signal) => {
    const result = await importPaths(paths, choices, config, signal, {
      onBundle: (path) => refuseForeign(choices, path),
      // A bundle always replaces its study.
      onExisting: (there, isForeign) => isForeign && refuseExisting(there, choices.replace === true),
    })
    console.error(resultText(result, choices.dryRun === true))
    if (json) printJson('import', viewReport(result))
    else console.log(result.studyId)
  })
}

/** Refuses options that contradict each other, and an odd name of a project. @throws ServiceError usage */
export function refuseBoth({ append, replace, project }: ImportFlags): void {
  if (append && replace) throw new ServiceError('usage', 'give --append or --replace, not both')
  if (project === undefined) return
  if (append)
    throw new ServiceError('usage', 'a study that is added to stays in its project: describe --project moves it')
  checkProjectName(project)
}

/**
 * Imports files and folders with the options of the command line, in a temporary folder of the data directory, and
 * shows its progress.
 *
 * @param more callbacks of the caller
 * @throws ServiceError as `importPaths`
 */
export async function importPaths(
  paths: string[],
  choices: ImportFlags,
  config: Config,
  signal: AbortSignal,
  more: Pick<FileImport, 'onBundle' | 'onExisting' | 'beforePublish'>,
): Promise<FileImportResult> {
  const { append = false, dryRun = false, project } = choices
  const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
  const studyId = givenStudyId(choices)
  const foreign = await foreignChoices(choices)
  let line = progressLine('import')
  let stage = 'import'
  try {
    const take = ({ studies, place }: Home) =>
      withScratch(dataDir, (scratch) =>
        importFiles({
          paths: givenPaths(paths),
          append,
          foreign,
          scratch,
          ...{ dataDir, studies, place },
          studyId,
          project,
          dryRun,
          now: new Date(),
          threads,
          memoryMib,
          limits: sampleLimits(config),
          signal,
          onProgress: (now, share, samples, total) => {
            if (now !== stage) {
              line.done()
              line = progressLine(now)
              stage = now
            }
            line.show(share, `${grouped(samples)}${total === null ? '' : ` of ${grouped(total)}`} samples`)
          },
          onContinued: ({ id, name }) => console.error(printable(`Adds to study ${name} (${id}).`)),
          onConverted: (conversion) => {
            line.done()
            for (const text of conversionText(conversion)) console.error(text)
          },
          ...more,
        }),
      )
    const result = await withHome(config, take, signal)
    const { studyId: study, snapshotId: snapshot, published } = result
    if (published) await audit(dataDir, { event: 'import', study, snapshot })
    return result
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'canceled') throw error
    throw new ServiceError('canceled', 'the import was canceled: nothing was published, and nothing remains', {
      cause: error,
    })
  } finally {
    line.done()
  }
}

/** Returns a sentence about the end of an import. */
export function resultText({ studyId, published, counts, nothingNew }: FileImportResult, dryRun: boolean): string {
  if (nothingNew !== null) return `Nothing to add: ${nothingNew}.`
  if (dryRun) return `The bundle is fine: ${heldText(counts)}. Nothing was published.`
  if (published) return `Published study ${studyId}: ${heldText(counts)}.`
  return `Study ${studyId} already has exactly this data: nothing to publish.`
}

/**
 * Refuses to replace an existing, different study with recordings, unless that is requested.
 *
 * @throws ServiceError usage
 */
export function refuseExisting({ study: { id, name }, manifest }: Snapshot, replace: boolean): void {
  const there = `study ${name} (${id}), which holds ${heldText(manifest.counts)}`
  if (replace) console.error(printable(`Replaces ${there}.`))
  else
    throw new ServiceError(
      'usage',
      `these recordings belong to ${there}: add --replace to put them in its place, --append to add them, or --study to give them another id`,
    )
}
