import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { openTokens } from '../../engine/access/tokens.ts'
import { studyDirectory } from '../../engine/files/layout.ts'
import { everyJob } from '../../engine/jobs/list-jobs.ts'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { findParticipant, readParticipants } from '../../engine/snapshot/rows/list-participants.ts'
import { countSamples, pickTests, selectTests } from '../../engine/snapshot/selection.ts'
import { openStore } from '../../engine/snapshot/snapshots.ts'
import { changeStudy } from '../../engine/study/change-study.ts'
import { removal, removeStudy } from '../../engine/study/changes/removal.ts'
import { forgetTraces } from '../../server/studies/forget-traces.ts'
import { audit } from '../shared/audit.ts'
import { studyIdOf } from '../shared/find-study.ts'
import { count } from '../terminal/count.ts'
import { heldText } from '../terminal/counts-text.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Terminal for the question, if a person is there to answer. */
export type Terminal = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; isPerson: boolean }

/** Runs `gazette remove`: says what goes, asks on a terminal, and deletes it. */
export async function remove(
  {
    study,
    participant,
    yes = false,
    dryRun = false,
    config,
  }: { study: string; participant?: string; yes?: boolean; dryRun?: boolean; config: Config },
  terminal: Terminal = {
    input: process.stdin,
    output: process.stderr,
    isPerson: process.stdin.isTTY === true,
  },
): Promise<void> {
  const { dataDir, engineThreads: threads, engineMemoryMib: memoryMib } = config
  const studyId = await studyIdOf(openStore(dataDir), study)
  const what = await whatGoes(dataDir, studyId, participant)
  if (dryRun) return console.error(`Would delete ${what}. Nothing was deleted.`)
  if (!yes && terminal.isPerson && !(await isAgreed(`Delete ${what}? [y/N] `, terminal)))
    throw new ServiceError('canceled', 'nothing was deleted')
  await stoppable(async (signal) => {
    const now = new Date()
    // A study goes to its end once it has begun to go.
    if (participant === undefined) {
      await removeStudy({ dataDir, studyId, now })
      await openTokens(dataDir).endLinks(studyId)
    } else {
      await forgetTraces({ dataDir, store: openStore(dataDir), tokens: openTokens(dataDir) }, studyId, participant)
      await changeStudy({ dataDir, studyId, now, threads, memoryMib, signal }, null, removal(participant))
    }
    await audit(dataDir, { event: 'removal', study: studyId, participant })
  })
  console.error(`Deleted ${what}.`)
}

async function isAgreed(question: string, { input, output }: Terminal): Promise<boolean> {
  const lines = createInterface({ input, output })
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim())
  } finally {
    lines.close()
  }
}

/** Names a study, or a participant of it, with what goes along. @throws ServiceError not_found */
async function whatGoes(dataDir: string, studyId: string, participant: string | undefined): Promise<string> {
  const store = openStore(dataDir)
  const snapshot = await store.current(studyId).catch((error) => {
    // What is damaged is removed all the same.
    if (error instanceof ServiceError && error.code === 'corrupt') return null
    throw error
  })
  const exports = await finishedExports(dataDir, studyId)
  const directory = studyDirectory(dataDir, studyId)
  if (directory === null || !existsSync(directory)) throw new ServiceError('not_found', `there is no study ${studyId}`)
  // As after a removal that was killed.
  if (snapshot === null) return `what is left of study ${studyId}, with ${exports}`
  const study = `study ${snapshot.study.name} (${snapshot.study.id})`
  if (participant === undefined) return `${study}: ${heldText(snapshot.manifest.counts)}, with ${exports}`
  return `${await participantText(snapshot, participant)} of ${study}, with ${exports} of the study`
}

async function participantText(snapshot: Snapshot, id: string): Promise<string> {
  const row = await findParticipant(snapshot, id.toLowerCase())
  if (row === null) return `what older snapshots may hold of participant ${id}`
  const [{ externalId, displayName }] = await readParticipants(snapshot, Int32Array.of(row))
  const all = await selectTests(snapshot, { itemId: null, gradeMin: 1 })
  const own = pickTests(all, (i) => all.participantRows[i] === row)
  const name = externalId || displayName
  return `participant ${name === '' ? '' : `${name} `}(${id}): ${count(own.n, 'test')}, ${count(countSamples(own), 'sample')}`
}

async function finishedExports(dataDir: string, studyId: string): Promise<string> {
  let finished = 0
  for await (const { plan, end } of everyJob(openJobs(dataDir)))
    if (plan.studyId === studyId.toLowerCase() && end?.state === 'succeeded') finished++
  return count(finished, 'finished export')
}
