import { checkAccess } from '../../engine/access/check-access.ts'
import { checkJobs } from '../../engine/jobs/check-jobs.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { checkAnalyses } from '../../engine/snapshot/analyses/stored-analyses.ts'
import { checkSnapshots, studiesOfOtherFormats } from '../../engine/snapshot/check-snapshots.ts'
import { dataFormat } from '../../engine/storage/files/data-format.ts'
import type { FileFault } from '../../engine/storage/files/file-fault.ts'
import { readInstance } from '../../engine/storage/files/instance.ts'
import { checkBucket } from '../../engine/study/bucket/check-bucket.ts'
import { checkHistories } from '../../engine/study/history.ts'
import type { Home } from '../../engine/study/home.ts'
import { checkPastAois } from '../../engine/study/past-aois.ts'
import { checkIntake } from '../../engine/uploads/check-intake.ts'
import { checkWebhooks } from '../../engine/webhooks/check-webhooks.ts'
import type { JsonAnswer } from '../output/json-answers.ts'
import { printJson } from '../output/print-json.ts'
import { withHome } from '../runtime/open-studies.ts'
import { closeToOthers, openToOthers } from '../runtime/private-files.ts'
import { countText } from '../terminal/count.ts'
import { PROGRAM } from '../terminal/program-name.ts'

/**
 * Runs `gazette check`: checks every file of snapshots and jobs; with `--repair`, repairs what can safely be repaired,
 * and reports it.
 */
export async function check(given: { repair?: boolean; json?: boolean; config: Config }): Promise<void> {
  const { repair = false, json = false, config } = given
  const { dataDir } = config
  const faults: JsonAnswer<'check'>['faults'] = []
  const add = (fault: string, repaired: string | null, isOtherFormat = false) => {
    faults.push({ fault, repaired, isOtherFormat })
    if (!json) console.log(repaired === null ? fault : `${fault} ${repaired}`)
  }
  const tell = async ({ sentence, mend, isOtherFormat }: FileFault) =>
    add(sentence, repair && mend ? await mend() : null, isOtherFormat)
  const counts = await withHome(config, (home) => checkData(home, dataDir, tell))
  const { snapshotFiles, jobFiles, accessFiles, intakeFiles, webhookFiles } = counts
  const open = await countOpen(dataDir, repair)
  if (open > 0) {
    const which = `Of ${dataDir}, ${countText(open, 'path')} had permissions for others on this machine`
    add(repair ? `${which}.` : `${which}: ${PROGRAM} check --repair removes them.`, repair ? 'They are removed.' : null)
  }
  if (json)
    printJson('check', {
      checked: {
        snapshots: snapshotFiles,
        jobs: jobFiles,
        access: accessFiles,
        imports: intakeFiles,
        webhooks: webhookFiles,
      },
      faults,
    })
  console.error(
    `Checked ${snapshotFiles} files of snapshots, ${jobFiles} of jobs, ${accessFiles} of access, ${intakeFiles} of imports and uploads and ${webhookFiles} of webhooks. Not checked: ${UNCHECKED}.`,
  )
  const unrepaired = faults.filter(({ repaired }) => repaired === null)
  const left = unrepaired.length
  if (left > 0)
    throw unrepaired.every(({ isOtherFormat }) => isOtherFormat)
      ? new ServiceError(
          'other_format',
          `${countText(left, 'fault')} found: another version of Gazette wrote what is on disk`,
        )
      : new ServiceError('corrupt', `${countText(left, 'fault')} found: the files on disk differ from what was written`)
}

/** Files written without a checksum, since no result depends on them. */
const UNCHECKED =
  'queue and cache, which are disposable, audit.jsonl, start-token, token-uses, usage, the logs of deliveries, and the bytes of uploads'

/** Verifies every file of an installation that has a checksum. Returns their number. */
export async function checkData(
  { jobs, records, objects }: Pick<Home, 'jobs' | 'records' | 'objects'>,
  dataDir: string,
  tell: (fault: FileFault) => Promise<void>,
): Promise<{
  snapshotFiles: number
  jobFiles: number
  accessFiles: number
  intakeFiles: number
  webhookFiles: number
}> {
  const sentences: string[] = []
  const report = (sentence: string) => sentences.push(sentence)
  const snapshotFiles = objects === null ? await checkStudies(dataDir, report) : await checkBucket(objects, report)
  // Nothing here can repair a snapshot: it must be imported again.
  for (const sentence of sentences) await tell({ sentence, mend: null })
  const older = objects === null ? await studiesOfOtherFormats(dataDir) : []
  for (const sentence of older) await tell({ sentence, mend: null, isOtherFormat: true })
  const jobFiles = await checkJobs(jobs, tell)
  const accessFiles = await checkAccess(dataDir, tell)
  const intakeFiles = await checkIntake(dataDir, records, tell)
  const webhookFiles = await checkWebhooks(records, tell)
  await readInstance(dataDir).catch((error: Error) => tell({ sentence: `${error.message}.`, mend: null }))
  await dataFormat(dataDir).catch((error: Error) => tell({ sentence: `${error.message}.`, mend: null }))
  return { snapshotFiles, jobFiles, accessFiles, intakeFiles, webhookFiles }
}

/** Verifies all files of the studies of a data directory. Returns their number. */
async function checkStudies(dataDir: string, report: (sentence: string) => void): Promise<number> {
  let files = 0
  for (const check of [checkHistories, checkPastAois, checkAnalyses, checkSnapshots])
    files += await check(dataDir, report)
  return files
}

/** Counts files that others on the machine can read or write, and removes these permissions on request. */
async function countOpen(dataDir: string, repair: boolean): Promise<number> {
  let open = 0
  for await (const path of openToOthers(dataDir)) {
    open++
    if (repair) await closeToOthers(path)
  }
  return open
}
