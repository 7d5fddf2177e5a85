import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ObjectStore, readObject } from './object-store.ts'

/**
 * Leases: of all processes on all machines, one at a time holds the object of a name, and renews it. One whose object
 * does not change any more is dead, and loses it. No clocks are compared: whoever waits watches the object for a while.
 *
 * A process that stood still for long may believe that it holds a lease that another one has taken. So a lease only
 * saves work: what it guards must be published by creating an object that nobody else has created.
 */
export type Lease = {
  /** Whether it was renewed so lately that nobody can have taken it. */
  isHeld: () => boolean
  release: () => Promise<void>
}

const RENEW_MS = 3000
/** A lease that was not renewed for this long is lost to its holder. */
const LOST_MS = 20_000
/** A lease that a waiter has seen unchanged for this long is that of a dead process. */
const DEAD_MS = 30_000
const LOOK_MS = 50
/** An heir waits this long for another one who came at the same moment: the later of them has it. */
const SETTLE_MS = 300

/**
 * Takes a lease, and waits for whoever holds it: for long enough, at least, to see whether the holder is alive.
 *
 * @returns null when a living process still holds it after `waitMs`
 * @throws as the store does
 */
export async function takeLease(store: ObjectStore, key: string, waitMs = 0): Promise<Lease | null> {
  const holder = randomUUID()
  const first = textOf(holder, 0)
  const read = async () => (await readObject(store, key))?.toString() ?? ''
  const sinceMs = performance.now()
  let seen = { text: '', atMs: sinceMs, states: 0 }
  for (;;) {
    const askedMs = performance.now()
    if (await store.putIfAbsent(key, first)) return heldLease(store, key, holder, askedMs)
    const text = await read()
    const nowMs = performance.now()
    if (text !== seen.text) seen = { text, atMs: nowMs, states: seen.states + 1 }
    else if (nowMs - seen.atMs > DEAD_MS) {
      await store.delete(key)
      const takenMs = performance.now()
      const isFirst = await store.putIfAbsent(key, first)
      if (isFirst) await sleep(SETTLE_MS)
      if (isFirst && (await read()) === first) return heldLease(store, key, holder, takenMs)
      seen = { text: '', atMs: nowMs, states: seen.states }
    }
    // It has changed while this watched: somebody lives.
    if (nowMs - sinceMs >= waitMs && seen.states > 1) return null
    await sleep(LOOK_MS)
  }
}

function textOf(holder: string, renewals: number): string {
  return `${holder} ${renewals}`
}

function heldLease(store: ObjectStore, key: string, holder: string, takenMs: number): Lease {
  let renewals = 0
  let heldMs = takenMs
  let renewing: Promise<void> = Promise.resolve()
  const isOurs = async () => (await readObject(store, key))?.toString().startsWith(holder) ?? false
  const renew = async () => {
    const askedMs = performance.now()
    if (await isOurs()) {
      await store.put(key, textOf(holder, ++renewals))
      heldMs = askedMs
    } else {
      heldMs = Number.NEGATIVE_INFINITY
      clearInterval(timer)
    }
  }
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    renewing = renew()
      .catch(() => undefined)
      .finally(() => {
        isBusy = false
      })
  }, RENEW_MS).unref()
  return {
    isHeld: () => performance.now() - heldMs < LOST_MS,
    release: async () => {
      clearInterval(timer)
      // One that is under way would make the object again.
      await renewing
      // Whoever waits takes it over, where it cannot be deleted.
      if (await isOurs().catch(() => false)) await store.delete(key).catch(() => undefined)
    },
  }
}
