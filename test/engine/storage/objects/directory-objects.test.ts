import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openRemoteJobs } from '../../../../engine/jobs/bucket/remote-jobs.ts'
import type { Catalog } from '../../../../engine/snapshot/catalog.ts'
import { openDirectory } from '../../../../engine/storage/objects/directory-objects.ts'
import type { ObjectStore } from '../../../../engine/storage/objects/object-store.ts'
import { probeObjects } from '../../../../engine/storage/objects/probe.ts'
import { SWEEP_TIMES, sweepingBucket } from '../../../../engine/study/bucket/sweep-bucket.ts'

let root: string
let store: ObjectStore
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gazette-objects-'))
  store = openDirectory(root)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const incoming = () => readdir(join(root, '.incoming'))

/** Returns a promise, and the function that resolves it. */
function gate(): [Promise<void>, () => void] {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return [opened, () => open()]
}

/** Writes objects that never become whole, as if their processes had been killed; one was last written long ago. */
async function leaveTwo() {
  const [stopped, stop] = gate()
  const write = async (key: string) => {
    const [begun, begin] = gate()
    const known = (await incoming().catch(() => [])) as string[]
    async function* pieces() {
      yield Buffer.from('half')
      begin()
      await stopped
    }
    const written = store.compose(key, pieces()).catch((error) => error)
    await begun
    return { written, name: (await incoming()).find((name) => !known.includes(name))! }
  }
  const [old, fresh] = [await write('a'), await write('b')]
  const longAgo = (Date.now() - 2 * 3_600_000) / 1000
  await utimes(join(root, '.incoming', old.name), longAgo, longAgo)
  return { old, fresh, stop }
}

const sweep = () => {
  const studies = { currents: async () => new Map() } as unknown as Catalog
  const sweeping = { studies, inUse: async () => new Set<string>(), onRemoved: () => {}, onFault: () => {} }
  return sweepingBucket(store, { jobs: () => openRemoteJobs(store), now: () => new Date() }, SWEEP_TIMES)(sweeping)
}

test.each([
  ['a sweep', sweep],
  ['a probe', () => probeObjects(store, new Date())],
])('what a killed process was writing is removed after an hour by %s', async (_name, remove) => {
  const { old, fresh, stop } = await leaveTwo()
  await remove()
  expect(await incoming()).toEqual([fresh.name])
  stop()
  // A process that was only slow fails, and names nothing.
  expect(await old.written).toMatchObject({ code: 'ENOENT' })
  expect(await fresh.written).toBe(4)
  expect([await store.head('a'), (await store.head('b'))?.sizeBytes, await incoming()]).toEqual([null, 4, []])
})
