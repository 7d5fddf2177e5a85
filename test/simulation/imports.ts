import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { ServiceError } from '../../engine/model/errors.ts'
import { directoryPlace } from '../../engine/study/place.ts'
import type { FileImportResult } from '../../engine/uploads/import-files.ts'
import { type ImportEnd, readImport, requestImport, withdrawImport } from '../../engine/uploads/import-job.ts'
import { openUploads } from '../../engine/uploads/open-uploads.ts'
import { newUploadId, uploadPath, uploadsDirectory, writeUploadFacts } from '../../engine/uploads/uploads.ts'
import type { ImportContext } from '../../worker/imports/perform-import.ts'
import { IMPORT_ATTEMPT } from '../../worker/queue/payload.ts'
import { recordOf } from './stored.ts'
import { accept, addParticipants, countsOf, newParticipant, studyIdOf } from './studies.ts'
import { sleep } from './timeline.ts'
import type { Process, World } from './world.ts'

/** Imports that somebody was promised: a file that names a participant, who is added to a study. */

export type Brought = {
  study: number
  participant: string
  uploadId: string
  sinceMs: number
  isWithdrawn: boolean
  /** Snapshots that tries at it were about to publish. */
  intended: string[]
}

const TOKEN_ID = '0123456789abcdef'
const EARNED = new Set(['corrupt', 'set_aside'])

/** Sends a file and asks for its import, as a client and a server do; some think better of it. */
export async function bring(world: World, process: Process, study: number): Promise<void> {
  const { random, queue, imports } = world
  const { dataDir, records, objects } = process
  const participant = newParticipant(world)
  const sinceMs = world.timeline.nowMs()
  const uploadId = newUploadId(TOKEN_ID)
  const createdAt = new Date().toISOString()
  await mkdir(uploadsDirectory(dataDir), { recursive: true })
  await writeFile(uploadPath(dataDir, uploadId), participant)
  await writeUploadFacts(dataDir, {
    id: uploadId,
    size: participant.length,
    metadata: { filename: 'a.csv' },
    creation_date: createdAt,
  })
  await openUploads(dataDir, objects).keep(uploadId)
  const { id } = await requestImport(records, {
    ...{ tokenId: TOKEN_ID, tokenName: '', studyId: studyIdOf(study), append: true, dryRun: false },
    ...{ uploads: [{ id: uploadId, name: 'a.csv', sizeBytes: participant.length }], choices: {}, createdAt },
  })
  const brought = { study, participant, uploadId, sinceMs, isWithdrawn: false, intended: [] }
  imports.set(id, brought)
  await queue.add(id, IMPORT_ATTEMPT).catch(() => undefined)
  if (!random.chance(0.2)) return
  await sleep(random.below(4000))
  imports.set(id, { ...imports.get(id)!, isWithdrawn: true })
  const job = await readImport(records, id)
  if (job !== null) await withdrawImport(records, job)
}

/** Stands in for what reads files: adds the participant whom the upload names to the study. */
export function simulatedImport(world: World): NonNullable<ImportContext['importFiles']> {
  const { timeline, random, imports, removals } = world
  const wait = (ms: number) => new Promise<void>((resolve) => timeline.after(random.below(ms), resolve))
  return async ({
    paths,
    dataDir,
    place = directoryPlace(dataDir),
    tokenId,
    signal,
    beforePublish,
  }): Promise<FileImportResult> => {
    const participant = await readFile(paths[0], 'utf8')
    const brought = [...imports.values()].find((each) => each.participant === participant)
    if (brought === undefined) throw Object.assign(new Error('a body was cut'), { code: 'EIO' })
    const { study, intended } = brought
    // Nobody can know any more that it was published, and who was removed must not come back.
    if (world.leaving.has(participant) && removals.has(study))
      throw new ServiceError('set_aside', 'its study was removed')
    await wait(3000)
    signal?.throwIfAborted()
    const changed = await addParticipants(world, { dataDir, place }, study, [participant], {
      tokenId,
      beforePublish: async (publication) => {
        intended.push(publication.snapshotId)
        await beforePublish?.(publication)
        await wait(500)
        signal?.throwIfAborted()
      },
    })
    // As removing what was temporary takes its time.
    await wait(1500)
    signal?.throwIfAborted()
    const result = { studyId: studyIdOf(study), snapshotId: changed.snapshotId!, published: changed.published }
    return { ...result, counts: countsOf([participant]), conversion: null, left: [], nothingNew: null }
  }
}

/** Checks an end that was just written. */
export function checkImportEnd(world: World, id: string, end: ImportEnd): void {
  const { faults, imports, currents } = world
  const brought = imports.get(id)
  if (brought === undefined) return
  const { study, participant, intended, sinceMs } = brought
  const tell = (what: string) => faults.push(`import ${id} ${what}`)
  const wasPublished = intended.some((snapshotId) => currents.get(studyIdOf(study))?.includes(snapshotId))
  if (end.state === 'failed' && !EARNED.has(end.error?.code ?? '')) tell(`failed: ${end.error?.code}`)
  if (end.state === 'canceled' && !brought.isWithdrawn) tell('was canceled by nobody')
  if (end.state === 'succeeded' && end.report?.studyId !== studyIdOf(study)) tell('tells of another study')
  // Of a study that was removed meanwhile nothing is known any more.
  if (world.removals.has(study)) return
  if (end.state === 'succeeded' && end.report?.published !== wasPublished)
    tell(`says published: ${end.report?.published}, and it is ${wasPublished}`)
  if (end.state !== 'succeeded' && wasPublished) tell(`is ${end.state}, and was published`)
  if (end.state === 'succeeded') accept(world, participant, study, sinceMs)
}

/** Every import has one end; of those that went well, no file is left. */
export function checkImports(world: World): void {
  const { disk, imports, faults } = world
  for (const [id, { isWithdrawn, uploadId }] of imports) {
    const end = recordOf(world, `imports/${id}/end.json`)
    if (end === null && (!isWithdrawn || recordOf(world, `imports/${id}/request.json`) !== null))
      faults.push(`import ${id} was promised and has not ended`)
    const isTaken = end !== null && (JSON.parse(end.toString()) as ImportEnd).state === 'succeeded'
    if (isTaken && recordOf(world, `uploads/${uploadId}`) !== null) faults.push(`upload ${uploadId} is left behind`)
  }
  for (const [path] of disk.everything())
    if (path.startsWith('/intake-') && !isOfLiving(world, path)) faults.push(`${path} is left behind`)
}

/** Returns whether a temporary file is in the folder of a process that lives, as the lock of the folder tells. */
function isOfLiving({ disk, processes }: World, path: string): boolean {
  const lock = disk.read(`/${path.split('/')[1]}/lock`)?.toString() ?? ''
  return processes.some(({ client }) => lock.includes(`machine of ${client.name}"`))
}
