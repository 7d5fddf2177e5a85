import { expect, test } from 'vitest'
import { openDirectory } from '../../../../engine/storage/objects/directory-objects.ts'
import { takeLease } from '../../../../engine/storage/objects/lease.ts'
import { type ObjectStore, readObject } from '../../../../engine/storage/objects/object-store.ts'
import { keptDirectory } from '../../kept.ts'

const dir = await keptDirectory()
const store = openDirectory(dir)

test('of several who want a lease, one has it at a time, and each gets its turn', async () => {
  let holders = 0
  let most = 0
  const turn = async () => {
    const lease = (await takeLease(store, 'leases/a', 60_000))!
    most = Math.max(most, ++holders)
    expect(lease.isHeld()).toBe(true)
    await new Promise(setImmediate)
    holders--
    await lease.release()
  }
  await Promise.all(Array.from({ length: 5 }, turn))
  expect([holders, most]).toEqual([0, 1])
  expect(await readObject(store, 'leases/a')).toBeNull()
})

test('a lease that a living process holds is not waited for beyond the time given', async () => {
  const lease = (await takeLease(store, 'leases/b'))!
  expect(await takeLease(store, 'leases/b')).toBeNull()
  await lease.release()
  const next = (await takeLease(store, 'leases/b'))!
  expect(next.isHeld()).toBe(true)
  await next.release()
})

test('processes that want a lease again and again take turns', async () => {
  const holder = (await takeLease(store, 'leases/f'))!
  const order: string[] = []
  const again = async (name: string, onLook: () => void) => {
    const looking: ObjectStore = {
      ...store,
      get: (key) => {
        onLook()
        return store.get(key)
      },
    }
    for (let i = 0; i < 3; i++) {
      const lease = (await takeLease(looking, 'leases/f', 60_000))!
      order.push(name)
      await lease.release()
    }
  }
  const looked: Promise<void>[] = []
  const writers = ['one', 'other'].map((name) => {
    let onLook = () => {}
    looked.push(new Promise((resolve) => (onLook = resolve)))
    return again(name, onLook)
  })
  await Promise.all(looked)
  await holder.release()
  await Promise.all(writers)
  // Neither has all of its turns before the other has one.
  expect(order.indexOf(order[0] === 'one' ? 'other' : 'one')).toBeLessThan(order.lastIndexOf(order[0]))
})

test('a holder whose object another one has taken deletes nothing of theirs', async () => {
  const lease = (await takeLease(store, 'leases/c'))!
  await store.put('leases/c', 'somebody else 0')
  await lease.release()
  expect((await readObject(store, 'leases/c'))?.toString()).toBe('somebody else 0')
})

test('a holder that was a process of this machine and has ended is taken over at once, unless a server may still hear of it', async () => {
  const lease = (await takeLease(store, 'leases/e'))!
  const text = (await readObject(store, 'leases/e'))!.toString()
  await lease.release()
  const [boot, namespace, pid, start] = text.split(' ').slice(2)
  if (start === undefined) return // Only Linux tells.
  const looks = async (mark: string, isServer = false) => {
    let reads = 0
    const stop = new Error('looked again')
    const counting: ObjectStore = {
      ...store,
      isServer,
      get: (key) => (++reads > 6 ? Promise.reject(stop) : store.get(key)),
    }
    await store.put('leases/e', `other 5 ${mark}`)
    try {
      const taken = (await takeLease(counting, 'leases/e', 60_000))!
      expect(await readObject(store, 'leases/e.other')).not.toBeNull()
      reads = 0
      await taken.release()
      return 'taken'
    } catch (error) {
      expect(error).toBe(stop)
      return 'waits'
    }
  }
  const never = 2 ** 30
  expect(await looks(`${boot} ${namespace} ${pid} ${Number(start) - 1}`)).toBe('taken')
  expect(await looks(`${boot} ${namespace} ${never} ${start}`)).toBe('taken')
  expect(await looks(`${boot} ${namespace} ${never} ${start}`, true)).toBe('waits')
  expect(await looks(`${boot} ${namespace} ${pid} ${start}`)).toBe('waits')
  expect(await looks(`another boot ${never} ${start}`)).toBe('waits')
  expect(await looks('')).toBe('waits')
})

test('a lease that was taken over while it was released leaves nothing', async () => {
  const own = (await takeLease(store, 'leases/g'))!
  const [boot, namespace, pid, start] = (await readObject(store, 'leases/g'))!.toString().split(' ').slice(2)
  await own.release()
  if (start === undefined) return // Only Linux tells.
  await store.put('leases/g', `dead 0 ${boot} ${namespace} ${pid} ${Number(start) + 1}`)
  const heir = (await takeLease(store, 'leases/g'))!
  expect(await readObject(store, 'leases/g.dead')).not.toBeNull()
  // The end of a release.
  await store.delete('leases/g')
  await heir.release()
  expect(await readObject(store, 'leases/g.dead')).toBeNull()
})
