import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { JobEnd } from '../../engine/jobs/record/state.ts'
import type { Manifest } from '../../engine/model/study.ts'
import { allOf, filesOfSnapshot } from '../../engine/study/bucket/snapshot-files.ts'
import type { ImportEnd } from '../../engine/uploads/import-job.ts'
import { exportOf } from './computing.ts'
import { checkBucket, checkCopiedJob, checkJobBack, copyJobsThere, copyThere, missingOf, neededOf } from './copying.ts'
import { checkImportEnd, checkImports } from './imports.ts'
import { allJobFiles, isOver, jobFile, planOf } from './job-files.ts'
import { currentOf, fileOf, manifestOf, missingFiles, newestOf, participantsNow, recordOf } from './stored.ts'
import { studyIdOf } from './studies.ts'
import { checkTold } from './webhooks.ts'
import { isDeadly, type Process, type World } from './world.ts'

/** Looks at each change from now on. */
export function watch(world: World): void {
  world.disk.onChange = (did, path) => checkChange(world, did, path)
  world.bucket.onChange = (did, key, before) => {
    const [top, id, name] = key.split('/')
    if (top === 'changes') world.unnoted.delete(name.split('.')[1])
    else if (top === 'exports' && world.isInBucket && /(plan|end)\.json$/.test(name))
      world.unnoted.set(id, world.bucket.writer!)
    if (top === 'exports' && !world.isInBucket) did === 'put' && checkCopiedJob(world, id, name, before)
    else if (top === 'exports') checkJob(world, did === 'delete' ? 'rm' : before ? 'rename' : 'link', id, name)
    else if (top === 'imports') did === 'put' && checkImport(world, before ? 'rename' : 'link', id, name)
    else checkBucket(world, did, key, before)
    if (!world.isInBucket) return
    if (top === 'versions' && currentOf(world, id) !== null) checkNext(world, id, key)
    if (top === 'snapshots' && did === 'delete') checkUnused(world, key.replace('.json', ''))
  }
}

/** Checks the invariants after every change on the disk. */
function checkChange(world: World, did: string, path: string): void {
  const [, top, id, name = ''] = path.split('/', 4)
  if (top === 'studies' && name === 'current' && did === 'rename') checkNext(world, id, path)
  if (top === 'studies' && did === 'create' && name === 'current') world.faults.push(`${path} was not replaced at once`)
  if (top === 'studies' && did === 'leave' && /^\/studies\/[^/]+\/[0-9a-f]{64}$/.test(path)) checkUnused(world, path)
  if (top === 'second' && path.endsWith('/current') && did === 'rename') checkSecond(world, path)
  if (top === 'second' && id === 'exports' && did === 'rename') checkJobBack(world, name)
  if (top === 'exports') checkJob(world, did, id, name)
  if (top === 'imports') checkImport(world, did, id, name)
}

/** An import ends once. @param did as `checkJob` */
function checkImport(world: World, did: string, id: string, name: string): void {
  if (name !== 'end.json') return
  const end = recordOf(world, `imports/${id}/end.json`)
  if (did === 'link') checkImportEnd(world, id, JSON.parse(end!.toString()) as ImportEnd)
  if (did === 'rename') world.faults.push(`import ${id} ended twice`)
}

/** An attempt ends once, and none comes back. @param did `link` for what is created, `rename` for what is replaced */
function checkJob(world: World, did: string, id: string, name: string): void {
  const isWritten = did === 'link' || did === 'rename'
  if (name === '' || !isWritten) {
    if (did === 'leave') world.attempts.delete(id)
  } else if (name.endsWith('plan.json')) {
    const { attempt } = planOf(world, id)!
    const before = world.attempts.get(id) ?? 0
    if (attempt < before) world.faults.push(`${id} went back from attempt ${before} to ${attempt}`)
    world.attempts.set(id, attempt)
  } else if (name.endsWith('.end.json')) {
    const end = JSON.parse(jobFile(world, id, name)?.toString() || '{}') as JobEnd
    if (did === 'link') checkEnded(world, id, Number(name.split('.')[0]), end)
    else if (end.state !== 'expired') world.faults.push(`${id}/${name} ended twice`)
  } else if (name.endsWith('.csv')) checkFile(world, id, Number.parseInt(name, 10))
}

/**
 * A snapshot that goes is not named by a plan that somebody waits for, unless something of its study was to be removed.
 */
function checkUnused(world: World, path: string): void {
  for (const [id, promises] of world.asked) {
    const { plan } = promises[0]
    if (!path.endsWith(`${plan.studyId}/${plan.snapshotId}`) || world.purges.has(Number(plan.studyId.slice(-12))))
      continue
    if (promises.some(({ isWithdrawn }) => !isWithdrawn) && !isOver(world, id))
      world.faults.push(`${path} went before ${id} had ended`)
  }
}

/**
 * A file of an attempt that has ended well is what its end says, or gone: then it is made anew when it is asked for.
 */
function checkFile(world: World, id: string, attempt: number): void {
  const end = JSON.parse(jobFile(world, id, `${attempt}.end.json`)?.toString() ?? '{}') as JobEnd
  const bytes = jobFile(world, id, `${attempt}.csv`)
  if (end.state !== 'succeeded' || bytes === null) return
  if (world.sha256(bytes) !== end.file?.plain.sha256)
    world.faults.push(`${id} ${attempt}: the file is not what its end says`)
}

/** A study that was copied back is whole. */
function checkSecond(world: World, path: string): void {
  const directory = dirname(path)
  const snapshotId = world.disk.read(path)!.toString().trim()
  const read = (name: string) => world.disk.read(`${directory}/${snapshotId}/${name}`)
  const text = read('manifest.json')
  if (text === null) return void world.faults.push(`${path} names a snapshot that is not there`)
  for (const { path: name, sha256 } of allOf(JSON.parse(text.toString()) as Manifest))
    if (world.sha256(read(name) ?? '') !== sha256) world.faults.push(`${path} was copied back without ${name}`)
}

/** A study goes from snapshot to snapshot, each made of the one before; and what it names is there. */
function checkNext(world: World, id: string, path: string): void {
  const snapshotId = currentOf(world, id)!
  const manifest = manifestOf(world, id, snapshotId)
  if (manifest === null) return void world.faults.push(`${path} names a snapshot that is not there`)
  const before = world.currents.get(id) ?? []
  world.currents.set(id, [...before, snapshotId])
  if (before.at(-1) === snapshotId) return
  if (before.includes(snapshotId)) world.faults.push(`${path} went back to ${snapshotId}`)
  const isNext = manifest.parentId === null || manifest.parentId === before.at(-1)
  if (!isNext) world.faults.push(`${path} became one made of ${manifest.parentId}, and was ${before.at(-1)}`)
  for (const missing of missingFiles(world, manifest)) world.faults.push(`${path} was published without ${missing}`)
}

/**
 * Reasons for which a job may fail: data or all of its snapshot were removed, or the disk damaged a file of it.
 * Transient faults fail none, and only a job that kills its workers is set aside.
 */
const EARNED = new Set<string | undefined>(['gone', 'not_found', 'moved_on', 'corrupt'])

/** Ends are created once. A published file is whole, and what its plan says, whoever wrote it. */
function checkEnded(world: World, id: string, attempt: number, end: JobEnd): void {
  const { faults, sha256 } = world
  if (end.state !== 'succeeded') {
    const { code } = end.error ?? {}
    const isEarned = EARNED.has(code) || (code === 'set_aside' && isDeadly(world, id))
    if (end.state === 'failed' && !isEarned) faults.push(`${id} ${attempt} failed: ${code} ${end.error?.message}`)
    return
  }
  const bytes = jobFile(world, id, `${attempt}.csv`)
  const { plan } = planOf(world, id)!
  if ((bytes && sha256(bytes)) !== end.file?.plain.sha256)
    return void faults.push(`${id} ${attempt}: the file is not what its end says`)
  const manifest = manifestOf(world, plan.studyId, plan.snapshotId)
  const samples = manifest ? filesOfSnapshot(manifest).samples.map((file) => fileOf(world, manifest, file)) : [null]
  if (samples.includes(null)) return
  if (!bytes!.equals(exportOf(plan, attempt, samples as Buffer[])))
    faults.push(`${id} ${attempt}: the file is not that of its plan and attempt: ${bytes}`)
}

const LEFT_BEHIND = /\.(tmp|part|shards)$|\d+-of-\d+\.json$|\/\.|\.removed-|\/(compact\.)?lock(\.|$)/

/** Checks the invariants at the end, when faults have stopped and everything was swept. */
export async function checkEnd(world: World, last: Process): Promise<void> {
  const { faults, timeline } = world
  checkPromises(world)
  checkImports(world)
  checkTold(world)
  checkParticipants(world)
  checkLeftBehind(world)
  await checkLists(world, last)
  await checkJobLists(world)
  if (faults.length > 0 || world.isInBucket) return
  let copied = 0
  const copies = () => [...world.bucket.objects].filter(([key]) => /^(files|snapshots|versions)\//.test(key))
  const studies = [...new Set(copies().map(([key]) => Number(key.split('/')[1].slice(-12))))]
  for (const i of studies)
    copyThere(world, last, i).then(
      () => copied++,
      (error) => faults.push(`study ${i} could not be copied: ${error.stack}`),
    )
  await timeline.runUntil(() => copied === studies.length || faults.length > 0, 60_000)
  if (copied < studies.length) faults.push('a copy took for ever')
  let areJobsCopied = false
  copyJobsThere(world, last).then(
    () => (areJobsCopied = true),
    (error) => faults.push(`jobs could not be copied: ${error.stack}`),
  )
  await timeline.runUntil(() => areJobsCopied || faults.length > 0, 60_000)
  if (!areJobsCopied) faults.push('a copy of jobs took for ever')
  // What the bucket alone still has of a study that was removed is left there.
  const isThere = (key: string) => world.disk.read(`/studies/${key.split('/')[1]}/current`) !== null
  const objects = copies().filter(([key]) => isThere(key))
  for (const i of studies)
    for (const missing of missingOf(world, studyIdOf(i))) faults.push(`the bucket lacks ${missing}`)
  const jobs = [...world.bucket.objects].filter(([key]) => key.startsWith('exports/'))
  for (const id of world.removed)
    for (const [key, bytes] of [...objects, ...jobs])
      if (bytes.includes(id)) faults.push(`${id} was removed and is in the object ${key}`)
}

/** Every promise has one end. */
function checkPromises(world: World): void {
  for (const [id, promises] of world.asked) {
    if (promises.every(({ isWithdrawn }) => isWithdrawn)) continue
    if (planOf(world, id) === null) world.faults.push(`${id} was promised and is gone`)
    else if (!isOver(world, id)) world.faults.push(`${id} was promised and has not ended`)
    else checkFile(world, id, planOf(world, id)!.attempt)
  }
}

/** Checks that each added participant is in the study once, and each removed one nowhere. */
function checkParticipants(world: World): void {
  const { accepted, removals, disk, faults } = world
  const found = new Map<number, string[]>()
  const participants = (i: number): string[] => {
    const known = found.get(i)
    if (known) return known
    const ids = participantsNow(world, studyIdOf(i))
    if (new Set(ids).size < ids.length) faults.push(`study ${i} has somebody twice`)
    found.set(i, ids)
    return ids
  }
  for (const [id, { study, sinceMs }] of accepted)
    if (sinceMs > (removals.get(study) ?? -1) && !participants(study).includes(id))
      faults.push(`${id} was taken into study ${study} and is not there`)
  const removed = [...world.removed]
  if (world.isInBucket)
    for (const [key, bytes] of world.bucket.objects)
      for (const id of removed) if (bytes.includes(id)) faults.push(`${id} was removed and is in the object ${key}`)
  // A cache forgets by itself; the second directory is another installation.
  for (const [path, bytes] of disk.everything())
    if (!path.startsWith('/cache/') && !path.startsWith('/second/'))
      for (const id of removed)
        if (bytes?.includes(id) || path.includes(id)) faults.push(`${id} was removed and is in ${path}`)
}

function checkLeftBehind(world: World): void {
  const { disk, faults } = world
  if (world.isInBucket) checkBucketTidy(world)
  for (const [path] of allJobFiles(world)) if (LEFT_BEHIND.test(path)) faults.push(`${path} is left behind`)
  for (const [path] of disk.everything()) {
    if (path.startsWith('/cache/') || path.startsWith('/second/')) continue
    const [, top, studyId, name, file] = path.split('/')
    if (top.startsWith('intake-')) continue
    // What a broken first import left goes with the next one.
    const current = top === 'studies' ? disk.read(`/studies/${studyId}/current`)?.toString().trim() : undefined
    // Uploads, and what killed servers left of them, have their time.
    if (LEFT_BEHIND.test(path) && !['exports', 'uploads'].includes(top) && (top !== 'studies' || current))
      faults.push(`${path} is left behind`)
    if (!current) continue
    // The newest change by a request can be undone for a day.
    const former = JSON.parse(disk.read(`/studies/${studyId}/undo.json`)?.toString() ?? '{}') as { before?: string }
    if (/^[0-9a-f]{64}$/.test(name) && name !== current && name !== former.before)
      faults.push(`${path} is an old snapshot that is left`)
    if (name === 'shared' && file) {
      const manifests = [current, former.before].map((id) => disk.read(`/studies/${studyId}/${id}/manifest.json`))
      if (!manifests.some((manifest) => manifest?.includes(file))) faults.push(`${path} is shared by nobody`)
    }
  }
}

/** Nothing is in the bucket that no study needs, nor its undo; and no lease of a killed process. */
function checkBucketTidy(world: World): void {
  const { bucket, faults } = world
  const needed = new Set<string>()
  for (let i = 0; i < world.size.studies; i++) {
    const id = studyIdOf(i)
    for (const key of neededOf(world, id)) needed.add(key)
    const undo = newestOf(world, id)?.state.undo?.['undo.json']
    const { before } = JSON.parse(bucket.objects.get(`files/${id}/${undo}`)?.toString() ?? '{}') as { before?: string }
    const former = before === undefined ? null : manifestOf(world, id, before)
    if (former === null) continue
    needed.add(`snapshots/${id}/${before}.json`)
    for (const { sha256 } of allOf(former)) needed.add(`files/${id}/${sha256}`)
  }
  for (const key of bucket.objects.keys()) {
    if (/^(files|snapshots)\//.test(key) && !needed.has(key)) faults.push(`${key} is left in the bucket`)
    if (key.startsWith('leases/studies/')) faults.push(`${key} is left in the bucket`)
  }
}

/** Every process lists every job, with its attempt, and whether that has ended. */
async function checkJobLists(world: World): Promise<void> {
  const { faults, timeline } = world
  const ids = new Set(allJobFiles(world).map(([path]) => path.split('/')[2]))
  const truth = new Map<string, string>()
  // What a killed one has changed is found within ten minutes.
  for (const [id, { name, isDead }] of world.unnoted)
    if (!isDead) faults.push(`process ${name} told nobody that it changed ${id}`)
  for (const id of ids) {
    const plan = planOf(world, id)
    if (plan && !world.unnoted.has(id)) truth.set(id, `${plan.attempt} ${isOver(world, id) ? 'ended' : 'open'}`)
  }
  const lists = world.processes.map(async ({ client, jobs }) => {
    const listed = new Map<string, string>()
    for await (const { id, job } of jobs.every())
      if (job) listed.set(id, `${job.attempt} ${job.end ? 'ended' : 'open'}`)
    for (const id of world.unnoted.keys()) listed.delete(id)
    if (!isDeepStrictEqual(sorted(listed), sorted(truth)))
      faults.push(`process ${client.name} lists other jobs than there are: ${differences(listed, truth)}`)
  })
  let isListed = false
  Promise.all(lists).then(
    () => (isListed = true),
    (error) => faults.push(String(error.stack)),
  )
  await timeline.runUntil(() => isListed || faults.length > 0, 60_000)
  if (!isListed && faults.length === 0) faults.push('a list of jobs took for ever')
}

const sorted = (map: ReadonlyMap<string, string>) => [...map].sort()

/** Every process that lists studies lists what a new one does. */
async function checkLists(world: World, last: Process): Promise<void> {
  const { faults, timeline } = world
  const processes = world.processes.filter(({ isServer, sweep }) => isServer || sweep !== null)
  const listed = new Map<string, ReadonlyMap<string, string>>()
  let fresh: ReadonlyMap<string, string> | null = null
  last.studies.currents().then(
    (currents) => (fresh = currents),
    (error) => faults.push(String(error)),
  )
  for (const { client, studies } of processes)
    void studies.currents().then((currents) => listed.set(client.name, new Map(currents)))
  await timeline.runUntil(() => fresh !== null && listed.size === processes.length, 60_000)
  for (const [name, currents] of listed)
    if (!isDeepStrictEqual(currents, fresh))
      faults.push(`process ${name} has another list than a new one: ${differences(currents, fresh ?? new Map())}`)
}

function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string {
  const ids = [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id))
  return ids.map((id) => `${id} ${a.get(id)} and ${b.get(id)}`).join('; ')
}
