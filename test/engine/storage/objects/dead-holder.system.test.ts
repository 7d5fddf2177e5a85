import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { openDirectory } from '../../../../engine/storage/objects/directory-objects.ts'
import { takeLease } from '../../../../engine/storage/objects/lease.ts'
import type { ObjectStore } from '../../../../engine/storage/objects/object-store.ts'
import { keptDirectory } from '../../kept.ts'

const dir = await keptDirectory()
const store = openDirectory(dir)

// Renewals are real: beside other tests they may come too late.
test('of several who wait for a dead holder, one takes over, and what is late from others takes nothing from it', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  try {
    await store.put('leases/d', 'a dead one 7')
    let [holders, most, done, deletes] = [0, 0, 0, 0]
    // The store is slow, now and then.
    const slow: ObjectStore = {
      ...store,
      delete: async (key) => {
        await sleep([0, 400][deletes++ % 2])
        await store.delete(key)
      },
    }
    const turn = async () => {
      const lease = (await takeLease(slow, 'leases/d', 1e9))!
      most = Math.max(most, ++holders)
      await sleep(500)
      expect(lease.isHeld()).toBe(true)
      holders--
      await lease.release()
      done++
    }
    const turns = Array.from({ length: 4 }, turn)
    const passTime = async () => {
      // Only twice as fast, so that renewals keep up on a busy machine.
      vi.advanceTimersByTime(40)
      expect(done).toBe(4)
    }
    await vi.waitFor(passTime, { timeout: 100_000, interval: 20 })
    await Promise.all(turns)
    expect([holders, most]).toEqual([0, 1])
    const left: string[] = []
    for await (const { key } of store.list('leases/d')) left.push(key)
    expect(left).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})
