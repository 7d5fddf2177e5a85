import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LiveTableFunctions } from '../../engine/live/live-studies.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { SampleFile, Snapshot, Study } from '../../engine/model/study.ts'
import { leaseSnapshot } from '../../engine/snapshot/leases.ts'
import { originAfter } from '../../engine/snapshot/snapshot-id.ts'
import { openSnapshot } from '../../engine/snapshot/snapshots.ts'
import { NO_COLUMNS } from '../../engine/snapshot/table-columns.ts'
import { layerPaths } from '../../engine/snapshot/tables.ts'
import type { Arrival } from '../../engine/study/arrival.ts'
import {
  type Change,
  type Changed,
  type Changing,
  changeStudy,
  type Next,
  type Present,
} from '../../engine/study/change-study.ts'
import { isHalfRemoved, removal, removeStudy } from '../../engine/study/changes/removal.ts'
import type { LiveTables } from '../../engine/study/live-tables.ts'
import { isMerged } from '../../engine/study/merged-snapshot.ts'
import { fillWithTables } from '../../engine/study/share-study.ts'
import { missingFiles } from './stored.ts'
import { sleep } from './timeline.ts'
import type { Process, World } from './world.ts'

/**
 * Studies, as imports, live growth and removals change them. Tables are lists of ids, and samples lines that tell whose
 * they are.
 */
const ITEM = '17000000-0000-4000-8000-000000000001'
const NO_FACTS = { hasScroll: false, hasMouse: false, clickCount: 0 }
/** Longer than the lock of a killed process stands. */
const LOCK_WAIT_MS = 40_000
export const studyIdOf = (i: number) => `5c000000-0000-4000-8000-${String(i).padStart(12, '0')}`
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
const samplesOf = (ids: string[]) => ids.map((id) => `sample of ${id}\n`).join('')

/** Publishes a study's next snapshot, with some participants more. @param remove whom it loses instead */
export async function publish(world: World, process: Process, i: number, remove?: string): Promise<string | null> {
  const fresh = remove === undefined ? Array.from({ length: newcomers(world, i) }, () => newParticipant(world)) : []
  const sinceMs = world.timeline.nowMs()
  const { currentId } = await addParticipants(world, process, i, fresh, { remove, waitMs: LOCK_WAIT_MS })
  for (const id of fresh) accept(world, id, i, sinceMs)
  return currentId
}

/** Adds participants to a study, unless all are there. @param more.remove whom it loses instead */
export function addParticipants(
  world: World,
  { dataDir, place }: Pick<Process, 'dataDir' | 'place'>,
  i: number,
  fresh: string[],
  { remove, ...more }: Partial<Changing> & { remove?: string },
): Promise<Changed> {
  const change: Change = {
    did: remove === undefined ? 'bundle imported' : 'participant removed',
    isTold: true,
    isRemoval: remove !== undefined,
    next: async (present) => {
      const before = present.id === null ? [] : await participantsOf(await present.snapshot())
      const added = fresh.filter((id) => !before.includes(id))
      if (fresh.length > 0 && added.length === 0) return null
      if (remove !== undefined && !before.includes(remove)) return finishRemoval(present, remove)
      const participants = [...before.filter((id) => id !== remove), ...added]
      const next = snapshotOf(i, randomId(world), participants, present.id)
      if (remove !== undefined) next.origin.bundle['removed participant'] = sha256(remove)
      return next
    },
    settle: async (present) => {
      if (remove !== undefined) await removal(remove).settle?.(present)
    },
    after: async (published, present) => {
      if (remove === undefined) return
      await removal(remove).after?.(published, present)
      world.removed.add(remove)
    },
  }
  return changeStudy({ ...changing(dataDir, i), place, ...more }, null, change)
}

/** Answers for somebody who is not in the study, as `removal` does. */
async function finishRemoval(present: Present, remove: string): Promise<null> {
  const isIn = async (directory: string) => (await participantsOf(await openSnapshot(directory))).includes(remove)
  if (await isHalfRemoved(present, remove, isIn)) return null
  throw new ServiceError('not_found', `there is no participant ${remove}`)
}

const changing = (dataDir: string, i: number) => ({ dataDir, studyId: studyIdOf(i), threads: 1, memoryMib: 256 })

/**
 * Notes that somebody was told that a participant is in a study, unless somebody else, who saw them there, is removing
 * them.
 */
export function accept(world: World, id: string, study: number, sinceMs: number): void {
  if (!world.leaving.has(id)) world.accepted.set(id, { study, sinceMs })
}

/** Sizes as they are: few studies are large. */
function newcomers({ isFounded }: World, i: number): number {
  return isFounded ? 1 : Math.ceil(6 / (i + 1))
}

function randomId({ random }: World): string {
  return String(random.below(2 ** 31))
}

export function newParticipant({ random }: World): string {
  const digits = (n: number) =>
    random
      .below(2 ** 31)
      .toString(16)
      .padStart(n, '0')
      .slice(0, n)
  return `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(6)}${digits(6)}`
}

/** Reads who is in a snapshot, from its layers. */
async function participantsOf(snapshot: Snapshot): Promise<string[]> {
  const texts = await Promise.all(layerPaths(snapshot, 'participants').map((path) => readFile(path, 'utf8')))
  return texts.flatMap((text) => parsed(text))
}

function parsed(text: string): string[] {
  try {
    return JSON.parse(text) as string[]
  } catch {
    throw Object.assign(new Error('a body was cut'), { code: 'EIO' })
  }
}

async function writeSamples(directory: string, name: string, ids: string[]): Promise<SampleFile> {
  const text = samplesOf(ids)
  await writeFile(join(directory, name), text)
  return { name, rowCount: ids.length, sizeBytes: text.length, sha256: sha256(text), ...NO_FACTS }
}

/** Returns a snapshot as an import makes it. */
function snapshotOf(i: number, version: string, participants: string[], parentId: string | null): Next {
  const items = [{ id: ITEM, filename: 'a.png' }]
  const description = { id: studyIdOf(i), name: `Study ${i}`, items, aois: [], steps: [] } as unknown as Study
  const contents: Record<string, string> = {
    'study.json': JSON.stringify(description),
    'participants.parquet': JSON.stringify(participants),
    'tests.parquet': JSON.stringify(participants.map((id) => `test of ${id}`)),
  }
  const files = Object.fromEntries(Object.entries(contents).map(([name, text]) => [name, sha256(text)]))
  // As that of a real one, its id differs with what it is made of.
  const bundle = { 'study.json': files['study.json'], 'participants.csv': files['participants.parquet'], version }
  const fill = async (directory: string) => {
    for (const [name, text] of Object.entries(contents)) await writeFile(join(directory, name), text)
    const sampleFiles: SampleFile[] = []
    for (let from = 0; from < participants.length; from += 2) {
      const name = `samples-${String(from).padStart(5, '0')}.parquet`
      sampleFiles.push(await writeSamples(directory, name, participants.slice(from, from + 2)))
    }
    return { sampleFiles, files }
  }
  return { origin: { bundle, parentId }, counts: countsOf(participants), columns: NO_COLUMNS, description, fill }
}

export const countsOf = (participants: string[]) => ({
  participants: participants.length,
  completed: 0,
  items: 1,
  tests: participants.length,
  samples: participants.length,
})

/** Reads and writes the tables of a growing study, in place of DuckDB. */
export const LIVE_TABLES: LiveTableFunctions = {
  open: async (_studyDir, snapshot) => {
    const participants = await participantsOf(snapshot)
    return {
      db: { close: () => {} } as unknown as LiveTables['db'],
      snapshot,
      participantIds: new Set(participants),
      testIds: new Set(participants.map((id) => `test of ${id}`)),
      columns: { hasTags: false, externalData: [] },
      validationCount: 0,
      eventCount: 0,
      nextOrdinal: participants.length,
    }
  },
  follow: async (tables, snapshot) => {
    if (snapshot.manifest.parentId !== tables.snapshot.id || !isMerged(snapshot.manifest)) return false
    tables.snapshot = snapshot
    return true
  },
  write: async (_tables, { rows: { participants, tests } }, directory) => {
    const ids = participants.map(({ id }) => id)
    await writeFile(join(directory, 'participants.parquet'), JSON.stringify(ids))
    await writeFile(join(directory, 'tests.parquet'), JSON.stringify(tests.map(({ id }) => id)))
    const { sha256: _, ...arrived } = await writeSamples(directory, 'arrived.parquet', ids)
    return { names: ['participants.parquet', 'tests.parquet'], arrived }
  },
}

/** Sends a participant as a client does: with a key, and again, to whichever server, until it is told that it came. */
export async function send(world: World, i: number): Promise<void> {
  const { random } = world
  const id = newParticipant(world)
  const sinceMs = world.timeline.nowMs()
  const sender = { tokenId: 'token-0', key: `key of ${id}` }
  for (let tries = 0; tries < 4; tries++) {
    const server = world.servers()[random.below(world.servers().length)]
    const late = sleep(30_000).then(() => null)
    const entry = await Promise.race([server.live.add(studyIdOf(i), arrivalOf(id), sender).catch(() => null), late])
    if (entry !== null) {
      accept(world, id, i, sinceMs)
      return
    }
    await sleep(random.below(2000))
  }
}

function arrivalOf(id: string): Arrival {
  const given = { id: `test of ${id}`, itemId: ITEM, participantId: id, displayOrder: null }
  const test = { given, samples: { n: 1 }, measured: { sampleCount: 1, clickCount: 0 }, events: [] }
  const participant = { id, createdAt: '', isCompleted: false }
  const columns = { hasTags: false, externalData: [] }
  const rest = { columns, validations: [], sampleCount: 1, bytes: 100, content: sha256(id) }
  return { participant, tests: [test], ...rest } as unknown as Arrival
}

/** Puts the layers and the files of samples of a study that has grown together, as a worker does in quiet. */
export async function merge(_world: World, { dataDir, place, studies }: Process, i: number): Promise<void> {
  const change: Change = {
    did: null,
    isTold: false,
    next: async (present) => {
      const current = present.id === null ? null : await present.snapshot()
      if (current?.manifest.layers === undefined) return null
      const participants = await participantsOf(current)
      const { counts, sampleFiles } = current.manifest
      const write = async (into: string) => {
        await writeFile(join(into, 'participants.parquet'), JSON.stringify(participants))
        await writeFile(join(into, 'tests.parquet'), JSON.stringify(participants.map((id) => `test of ${id}`)))
        return ['participants.parquet', 'tests.parquet']
      }
      const origin = originAfter(current.manifest, 'merged samples', sha256(participants.join()))
      const fill = (directory: string) => fillWithTables(directory, current, sampleFiles, write)
      return { origin, counts, columns: NO_COLUMNS, fill }
    },
  }
  if ((await studies.currentId(studyIdOf(i))) === null) return
  await changeStudy({ ...changing(dataDir, i), place }, null, change)
}

/**
 * Holds a study's snapshot for a while, as an answer does that is being made: all of it must stay there, whatever is
 * published.
 */
export async function hold(world: World, { studies, client }: Process, i: number): Promise<void> {
  const { faults, random, purges } = world
  const snapshot = await studies.current(studyIdOf(i))
  if (snapshot === null) return
  const release = await leaseSnapshot(snapshot.directory)
  await sleep(random.below(20_000))
  // What is removed goes at once, whoever reads it.
  if (!client.isDead && !purges.has(i))
    for (const path of missingFiles(world, snapshot.manifest)) faults.push(`${path} went while it was read`)
  release()
}

/** Removes a study, as a command does. */
export async function remove(world: World, { dataDir, place, studies }: Process, i: number): Promise<void> {
  if ((await studies.current(studyIdOf(i))) === null) return
  world.purges.add(i)
  world.removals.set(i, Number.POSITIVE_INFINITY)
  await removeStudy({ dataDir, place, studyId: studyIdOf(i), now: new Date(), waitMs: LOCK_WAIT_MS })
  world.removals.set(i, world.timeline.nowMs())
}

/** Removes a participant, as a command does. */
export async function removeSomebody(world: World, server: Process, i: number): Promise<void> {
  const snapshot = await server.studies.current(studyIdOf(i))
  if (snapshot === null) return
  const participants = await participantsOf(snapshot)
  const first = participants[world.random.below(participants.length)]
  if (first) {
    // Whether it is removed is not known until somebody is told so.
    world.accepted.delete(first)
    world.leaving.set(first, i)
    world.purges.add(i)
    await publish(world, server, i, first)
  }
}

/** Asks again for each removal of a participant of which nobody was told that it is done, until somebody is. */
export async function finishRemovals(world: World, process: Process): Promise<void> {
  for (const [id, i] of world.leaving) {
    if (world.removed.has(id)) continue
    await publish(world, process, i, id).catch((error) => {
      if ((error as ServiceError).code !== 'not_found') throw error
    })
    world.removed.add(id)
  }
}
