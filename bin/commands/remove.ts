import { createInterface } from 'node:readline/promises'
import { openTokens } from '../../engine/access/tokens.ts'
import { everyJob } from '../../engine/jobs/list-jobs.ts'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { isCode } from '../../engine/model/system-errors.ts'
import { findParticipant, readParticipants } from '../../engine/snapshot/rows/list-participants.ts'
import { countSamples, pickTests, selectTests } from '../../engine/snapshot/selection.ts'
import type { Studies } from '../../engine/snapshot/snapshots.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { changeStudy } from '../../engine/study/change-study.ts'
import { removal, removeStudy } from '../../engine/study/changes/removal.ts'
import type { Home } from '../../engine/study/home.ts'
import { openUploads } from '../../engine/uploads/open-uploads.ts'
import { forgetTraces } from '../../server/studies/forget-traces.ts'
import { participantIdOf, studyIdOf } from '../given/find-study.ts'
import { audit } from '../runtime/audit.ts'
import { withHome } from '../runtime/open-studies.ts'
import { countText } from '../terminal/count.ts'
import { heldText } from '../terminal/counts-text.ts'
import { printable } from '../terminal/printable.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Terminal on which a user can answer the question; null without one. */
export type Terminal = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; isPerson: boolean }

/** Study or participant to remove, and whether to ask first. */
type Removing = { study: string; participant?: string; yes?: boolean; dryRun?: boolean }

/** Runs `gazette remove`: lists what it will delete, asks on a terminal, and deletes it. */
export async function removeFromStudy(
  { study, participant, yes = false, dryRun = false, config }: Removing & { config: Config },
  terminal: Terminal = {
    input: process.stdin,
    output: process.stderr,
    isPerson: process.stdin.isTTY === true,
  },
): Promise<void> {
  await withHome(config, (home) => removeFrom(home, { study, participant, yes, dryRun, config }, terminal))
}

async function removeFrom(
  home: Home,
  { study, participant: wanted, yes, dryRun, config }: Removing & { config: Config },
  terminal: Terminal,
): Promise<void> {
  const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
  const { place, studies, records, objects } = home
  const tokens = openTokens(dataDir)
  const studyId = await studyIdOf(studies, study)
  const snapshot = await currentOrDamaged(studies, studyId)
  const participant = wanted && snapshot ? await participantIdOf(snapshot, wanted) : wanted
  const what = printable(await whatGoes(home, studyId, snapshot, participant))
  if (dryRun) return console.error(`Would delete ${what}. Nothing was deleted.`)
  if (!yes && !terminal.isPerson)
    throw new ServiceError('usage', `add --yes to delete ${what}: nobody can be asked without a terminal`)
  if (!yes && !(await isAgreed(`Delete ${what}? [y/N] `, terminal)))
    throw new ServiceError('canceled', 'nothing was deleted')
  await stoppable(async (signal) => {
    const now = new Date()
    // Once the removal of a study has begun, it runs to its end.
    if (participant === undefined) {
      await removeStudy({ dataDir, place, studyId, now })
      await tokens.endLinks(studyId)
    } else {
      await forgetTraces({ records, uploads: openUploads(dataDir, objects), studies, tokens }, studyId, participant)
      await changeStudy({ dataDir, place, studyId, now, threads, memoryMib, signal }, null, removal(participant))
    }
    await audit(dataDir, { event: 'removal', study: studyId, participant })
  })
  console.error(`Deleted ${what}.`)
}

/** Returns whether a user answers yes; not for Ctrl-C and Ctrl-D. */
async function isAgreed(question: string, { input, output }: Terminal): Promise<boolean> {
  return closing(createInterface({ input, output }), async (lines) => {
    try {
      return /^y(es)?$/i.test((await lines.question(question)).trim())
    } catch (error) {
      if (!isCode(error, 'ABORT_ERR')) throw error
      output.write('\n')
      return false
    }
  })
}

/** Returns the current snapshot of a study; null for a damaged study, which can be removed, too. */
async function currentOrDamaged(studies: Studies, studyId: string): Promise<Snapshot | null> {
  return studies.current(studyId).catch((error) => {
    if (error instanceof ServiceError && error.code === 'corrupt') return null
    throw error
  })
}

/** Describes a study or participant and everything that is deleted with it. @throws ServiceError not_found */
async function whatGoes(
  { place, jobs }: Home,
  studyId: string,
  snapshot: Snapshot | null,
  participant: string | undefined,
): Promise<string> {
  const exports = await finishedExports(jobs, studyId)
  if (!(await place.look(studyId, ({ isKnown }) => isKnown())))
    throw new ServiceError('not_found', `there is no study ${studyId}`)
  // Left over from a removal that was killed.
  if (snapshot === null) return `what is left of study ${studyId}, with ${exports}`
  const study = `study ${snapshot.study.name} (${snapshot.study.id})`
  if (participant === undefined) return `${study}: ${heldText(snapshot.manifest.counts)}, with ${exports}`
  return `${await participantText(snapshot, participant)} of ${study}, with ${exports} of the study`
}

async function participantText(snapshot: Snapshot, id: string): Promise<string> {
  const row = await findParticipant(snapshot, id)
  if (row === null) return `what older snapshots may hold of participant ${id}`
  const [{ externalId, displayName }] = await readParticipants(snapshot, Int32Array.of(row))
  const all = await selectTests(snapshot, { itemId: null, gradeMin: 1 })
  const own = pickTests(all, (i) => all.participantRows[i] === row)
  const name = externalId || displayName
  return `participant ${name === '' ? '' : `${name} `}(${id}): ${countText(own.n, 'test')}, ${countText(countSamples(own), 'sample')}`
}

async function finishedExports(jobs: Jobs, studyId: string): Promise<string> {
  let finished = 0
  for await (const { plan, end } of everyJob(jobs))
    if (plan.studyId === studyId.toLowerCase() && end?.state === 'succeeded') finished++
  return countText(finished, 'finished export')
}
