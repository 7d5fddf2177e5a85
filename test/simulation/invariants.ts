import { isDeepStrictEqual } from 'node:util'
import type { JobEnd } from '../../engine/jobs/state.ts'
import type { FilePlan } from '../../engine/model/plan.ts'
import type { Manifest } from '../../engine/model/study.ts'
import { exportOf } from './computing.ts'
import { checkBucket, copyThere, missingOf } from './copying.ts'
import { studyIdOf } from './studies.ts'
import type { Process, World } from './world.ts'

/** Looks at each change from now on. */
export function watch(world: World): void {
  world.disk.onChange = (did, path) => checkChange(world, did, path)
  world.bucket.onChange = (did, key, before) => checkBucket(world, did, key, before)
}

/** What holds after every change on the disk. */
function checkChange(world: World, did: string, path: string): void {
  const [, top, id, name = ''] = path.split('/', 4)
  if (top === 'studies' && name === 'current' && did === 'rename') checkCurrent(world, id, path)
  if (top === 'studies' && did === 'create' && name === 'current') world.faults.push(`${path} was not replaced at once`)
  if (top === 'exports' && name.endsWith('.end.json')) {
    const end = JSON.parse(world.disk.read(path)?.toString() || '{}') as JobEnd
    if (did === 'link') checkEnded(world, id, Number(name.split('.')[0]), end)
    else if (did === 'rename' && end.state !== 'expired') world.faults.push(`${path} ended twice`)
  }
}

/** A study goes from snapshot to snapshot, each made of the one before; and what it names is there. */
function checkCurrent(world: World, id: string, path: string): void {
  const snapshotId = world.disk.read(path)!.toString().trim()
  const manifest = manifestOf(world, id, snapshotId)
  if (manifest === null) return void world.faults.push(`${path} names a snapshot that is not there`)
  const before = world.currents.get(id) ?? []
  world.currents.set(id, [...before, snapshotId])
  if (before.at(-1) === snapshotId) return
  if (before.includes(snapshotId)) world.faults.push(`${path} went back to ${snapshotId}`)
  const isNext = manifest.parentId === null || manifest.parentId === before.at(-1)
  if (!isNext) world.faults.push(`${path} became one made of ${manifest.parentId}, and was ${before.at(-1)}`)
  for (const missing of missingFiles(world, id, manifest)) world.faults.push(`${path} was published without ${missing}`)
}

function manifestOf({ disk }: World, id: string, snapshotId: string): Manifest | null {
  const text = disk.read(`/studies/${id}/${snapshotId}/manifest.json`)
  return text && (JSON.parse(text.toString()) as Manifest)
}

/** Returns the files of a snapshot that are not there, or not whole. */
function missingFiles({ disk, sha256 }: World, id: string, { snapshotId, files, layers = [], sampleFiles }: Manifest) {
  const directory = `/studies/${id}/${snapshotId}`
  const shared = layers.flatMap((layer) => Object.values(layer)).map((hash) => [`../shared/${hash}`, hash])
  const all = [...Object.entries(files), ...shared, ...sampleFiles.map((file) => [file.name, file.sha256])]
  return all
    .map(([name, hash]) => ({ hash, path: `${directory}/${name}` }))
    .filter(({ hash, path }) => sha256(disk.read(path) ?? '') !== hash)
    .map(({ path }) => path)
}

/** Ends are created once. A published file is whole, and what its plan says, whoever wrote it. */
function checkEnded(world: World, id: string, attempt: number, end: JobEnd): void {
  const { disk, faults, sha256 } = world
  if (end.state !== 'succeeded') {
    const { code } = end.error ?? {}
    if (end.state === 'failed' && code === 'internal') faults.push(`${id} ${attempt} failed by a fault of the program`)
    return
  }
  const bytes = disk.read(`/exports/${id}/${attempt}.csv`)
  const plan = JSON.parse(disk.read(`/exports/${id}/plan.json`)!.toString()).plan as FilePlan
  if ((bytes && sha256(bytes)) !== end.file?.plain.sha256)
    return void faults.push(`${id} ${attempt}: the file is not what its end says`)
  const manifest = manifestOf(world, plan.studyId, plan.snapshotId)
  const directory = `/studies/${plan.studyId}/${plan.snapshotId}`
  const samples = manifest?.sampleFiles.map(({ name }) => disk.read(`${directory}/${name}`)) ?? [null]
  if (samples.includes(null)) return
  if (!bytes!.equals(exportOf(plan, attempt, samples as Buffer[])))
    faults.push(`${id} ${attempt}: the file is not that of its plan and attempt: ${bytes}`)
}

const LEFT_BEHIND = /\.(tmp|part|shards)$|\d+-of-\d+\.json$|\/\.|\.removed-|\/(compact\.)?lock(\.|$)/

/** What must hold once nothing goes wrong any more, and all has been swept. */
export async function checkEnd(world: World, last: Process): Promise<void> {
  const { faults, timeline } = world
  checkPromises(world)
  checkParticipants(world)
  checkLeftBehind(world)
  await checkLists(world, last)
  if (faults.length > 0) return
  let copied = 0
  const studies = [...new Set([...world.bucket.objects.keys()].map((key) => Number(key.split('/')[1].slice(-12))))]
  for (const i of studies)
    copyThere(world, last, i).then(
      () => copied++,
      (error) => faults.push(`study ${i} could not be copied: ${error.stack}`),
    )
  await timeline.runUntil(() => copied === studies.length || faults.length > 0, 60_000)
  if (copied < studies.length) faults.push('a copy took for ever')
  // What the bucket alone still has of a study that was removed is left there.
  const isThere = (key: string) => world.disk.read(`/studies/${key.split('/')[1]}/current`) !== null
  const objects = [...world.bucket.objects].filter(([key]) => isThere(key))
  for (const i of studies)
    for (const missing of missingOf(world, studyIdOf(i))) faults.push(`the bucket lacks ${missing}`)
  for (const id of world.removed)
    for (const [key, bytes] of objects)
      if (bytes.includes(id)) faults.push(`${id} was removed and is in the object ${key}`)
}

/** Every promise has one end. */
function checkPromises({ asked, disk, faults }: World): void {
  for (const [id, promises] of asked) {
    if (promises.every(({ isWithdrawn }) => isWithdrawn)) continue
    const plan = disk.read(`/exports/${id}/plan.json`)
    if (plan === null) faults.push(`${id} was promised and is gone`)
    else if (disk.read(`/exports/${id}/${JSON.parse(plan.toString()).attempt}.end.json`) === null)
      faults.push(`${id} was promised and has not ended`)
  }
}

/** Who came in is in the study, once; who was removed is nowhere. */
function checkParticipants(world: World): void {
  const { accepted, removals, disk, faults } = world
  const found = new Map<number, string[]>()
  const participants = (i: number): string[] => {
    const known = found.get(i)
    if (known) return known
    const id = studyIdOf(i)
    const current = disk.read(`/studies/${id}/current`)?.toString().trim()
    const manifest = current ? manifestOf(world, id, current) : null
    const own = manifest?.files['participants.parquet']
    const paths = own
      ? [`/studies/${id}/${current}/participants.parquet`]
      : (manifest?.layers ?? []).map((layer) => `/studies/${id}/shared/${layer.participants}`)
    const ids = paths.flatMap((path) => JSON.parse(disk.read(path)!.toString()) as string[])
    if (new Set(ids).size < ids.length) faults.push(`study ${i} has somebody twice`)
    found.set(i, ids)
    return ids
  }
  for (const [id, { study, sinceMs }] of accepted)
    if (sinceMs > (removals.get(study) ?? -1) && !participants(study).includes(id))
      faults.push(`${id} was taken into study ${study} and is not there`)
  const removed = [...world.removed]
  // A cache forgets by itself; the second directory is another installation.
  for (const [path, bytes] of disk.everything())
    if (!path.startsWith('/cache/') && !path.startsWith('/second/'))
      for (const id of removed)
        if (bytes?.includes(id) || path.includes(id)) faults.push(`${id} was removed and is in ${path}`)
}

function checkLeftBehind({ disk, faults }: World): void {
  for (const [path] of disk.everything()) {
    if (path.startsWith('/cache/') || path.startsWith('/second/')) continue
    const [, top, studyId, name, file] = path.split('/')
    // What a broken first import left goes with the next one.
    const current = top === 'studies' ? disk.read(`/studies/${studyId}/current`)?.toString().trim() : undefined
    if (LEFT_BEHIND.test(path) && (top !== 'studies' || current)) faults.push(`${path} is left behind`)
    if (!current) continue
    if (/^[0-9a-f]{64}$/.test(name) && name !== current) faults.push(`${path} is an old snapshot that is left`)
    if (name === 'shared' && file) {
      const manifest = disk.read(`/studies/${studyId}/${current}/manifest.json`)
      if (!manifest?.includes(file)) faults.push(`${path} is shared by nobody`)
    }
  }
}

/** Every process that lists studies lists what a new one does. */
async function checkLists(world: World, last: Process): Promise<void> {
  const { faults, timeline } = world
  const processes = world.processes.filter(({ isServer, sweep }) => isServer || sweep !== null)
  const listed = new Map<string, ReadonlyMap<string, string>>()
  let fresh: ReadonlyMap<string, string> | null = null
  last.store.currents().then(
    (currents) => (fresh = currents),
    (error) => faults.push(String(error)),
  )
  for (const { client, store } of processes)
    void store.currents().then((currents) => listed.set(client.name, new Map(currents)))
  await timeline.runUntil(() => fresh !== null && listed.size === processes.length, 60_000)
  for (const [name, currents] of listed)
    if (!isDeepStrictEqual(currents, fresh))
      faults.push(`process ${name} has another list than a new one: ${differences(currents, fresh ?? new Map())}`)
}

function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string {
  const ids = [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id))
  return ids.map((id) => `${id} ${a.get(id)} and ${b.get(id)}`).join('; ')
}
