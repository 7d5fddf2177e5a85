import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openThrottle, stopwatch, type Throttle } from '../concurrency/intervals.ts'
import { hasEnded, processMark } from '../files/lock.ts'
import { type ObjectStore, readObject } from './object-store.ts'

/**
 * A lease: an object that at most one process of all machines holds, and renews. If it is no longer renewed, its holder
 * is dead and loses the lease. No clocks are compared: a waiter watches the object for a while, or sees that the holder
 * was a process of the waiter's machine and has ended. One waiter takes over by creating an object named after the dead
 * holder: its heir.
 *
 * A process that stalled may believe that it holds a lease that another one has taken. So a lease only saves work:
 * whatever it guards must be published by creating an object that nobody else has created.
 */
export type Lease = {
  /** Returns true if it was renewed so recently that nobody can have taken it over. */
  isHeld: () => boolean
  /** Its keys: of dead holders, the oldest first, and of this one. */
  chain: readonly string[]
  release: () => Promise<void>
}

const RENEW_MS = 3000
/** Time without a renewal after which the holder itself considers the lease lost. */
const LOST_MS = 20_000
/** Time after which a waiter that saw no renewal considers the holder dead. */
export const DEAD_MS = 30_000
/** Initial poll interval of waiters, which back off. */
const LOOK_MS = 50
const LOOK_MAX_MS = 500
/**
 * Time for which a process that has waited for a lease leaves it to others after its turn, as a multiple of the
 * interval at which it looked itself: so each of them looks once. Without it, a process that wants the lease again and
 * again would take it again before anybody else looks.
 */
const YIELDED_LOOKS = 2

/** Turns of this process at leases that others want, too, by store and key. */
const turns = new WeakMap<ObjectStore, Map<string, Throttle>>()

function turnsAt(store: ObjectStore): Map<string, Throttle> {
  const known = turns.get(store) ?? new Map()
  turns.set(store, known)
  return known
}

/** Spreads a time by a quarter of it to both sides, so that processes do not look in step. */
function spread(ms: number): number {
  return ms * (0.75 + randomBytes(1)[0] / 512)
}

/**
 * Takes a lease. Waits for its holder for `waitMs`, and at least until it is known whether the holder is alive. While
 * several processes want it, they take turns.
 *
 * @returns null when a living process still holds it after `waitMs`
 * @throws as the store does
 */
export async function takeLease(store: ObjectStore, key: string, waitMs = 0): Promise<Lease | null> {
  const ownTurns = turnsAt(store)
  const restMs = ownTurns.get(key)?.restMs() ?? 0
  ownTurns.delete(key)
  if (restMs > 0) await sleep(restMs)
  const holder = randomUUID()
  const first = textOf(holder, 0)
  const waitedMs = stopwatch()
  let seen = { text: '', sinceMs: stopwatch(), states: 0 }
  let lookMs = 0
  for (;;) {
    const askedMs = stopwatch()
    if (await store.putIfAbsent(key, first)) {
      const lease = heldLease(store, [key], holder, askedMs)
      return seen.states > 0 ? yielding(lease, ownTurns, key, lookMs * YIELDED_LOOKS) : lease
    }
    const { chain, text } = await chainOf(store, key)
    const readMs = stopwatch()
    const isSilent = text === seen.text && seen.sinceMs() > DEAD_MS
    // To a server, a request of a process that has ended may still be under way, such as one that deletes the object.
    if (text !== '' && (isSilent || (!store.isServer && hasEnded(text.split(' ').slice(2).join(' '))))) {
      const own = heirKey(key, text)
      if (await store.putIfAbsent(own, first)) return heldLease(store, [...chain, own], holder, readMs)
      // Another waiter was faster: the dead holder must be watched anew, since it can be seen again during a release.
      seen = { text: '', sinceMs: readMs, states: seen.states }
    } else if (text !== seen.text) seen = { text, sinceMs: readMs, states: seen.states + 1 }
    // It changed while this watched: its holder lives.
    if (waitedMs() >= waitMs && seen.states > 1) return null
    await sleep(spread(Math.min(LOOK_MAX_MS, LOOK_MS + waitedMs() / 20)))
    lookMs = askedMs()
  }
}

/** Returns a lease for which this process has waited, and which it leaves to others for a moment after its turn. */
function yielding(lease: Lease, ownTurns: Map<string, Throttle>, key: string, yieldMs: number): Lease {
  const release = async () => {
    await lease.release()
    const turn = openThrottle()
    turn.putOff(yieldMs)
    ownTurns.set(key, turn)
  }
  return { ...lease, release }
}

function textOf(holder: string, renewals: number): string {
  return `${holder} ${renewals} ${processMark}`
}

/** Returns the key of the object by which the heir of a dead holder has a lease. */
function heirKey(key: string, text: string): string {
  return `${key}.${text.split(' ')[0]}`
}

/** Reads a text; '' for none. */
async function textAt(store: ObjectStore, key: string): Promise<string> {
  return (await readObject(store, key))?.toString() ?? ''
}

/**
 * Follows a lease from its object to that of the last heir.
 *
 * @returns the keys, and the text of the last object; '' for none
 */
async function chainOf(store: ObjectStore, key: string): Promise<{ chain: string[]; text: string }> {
  const chain = [key]
  let text = await textAt(store, key)
  while (text !== '') {
    const next = heirKey(key, text)
    const heir = await textAt(store, next)
    if (heir === '') break
    chain.push(next)
    text = heir
  }
  return { chain, text }
}

/** @param chain the keys of dead holders, oldest first, and of this one @param takenMs time since it was asked for */
function heldLease(store: ObjectStore, chain: string[], holder: string, takenMs: () => number): Lease {
  const [key] = chain
  const own = chain[chain.length - 1]
  const first = textOf(holder, 0)
  let renewals = 0
  let heldMs = takenMs
  let renewing: Promise<void> = Promise.resolve()
  const isOurs = async () => {
    const texts = await Promise.all([...chain, heirKey(key, first)].map((each) => textAt(store, each)))
    const isSame = chain.slice(1).every((each, i) => each === heirKey(key, texts[i]))
    return isSame && texts[chain.length - 1].startsWith(holder) && texts[chain.length] === ''
  }
  const renew = async () => {
    const askedMs = stopwatch()
    if (await isOurs()) {
      await store.put(own, textOf(holder, ++renewals))
      heldMs = askedMs
    } else {
      heldMs = () => Number.POSITIVE_INFINITY
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
  const release = async () => {
    clearInterval(timer)
    // A renewal under way would create the object again.
    await renewing
    // Its own object first: killed on the way, it leaves a dead lease that the next one takes over, and no garbage.
    // Where it cannot be deleted, a waiter takes it over.
    if (await isOurs().catch(() => false)) for (const each of chain.toReversed()) await store.delete(each)
    // The holder before it had only seemed dead, and has deleted the rest: nobody would ever find it.
    else if (chain.length > 1 && !(await chainOf(store, key)).chain.includes(own)) {
      if ((await textAt(store, own)).startsWith(holder)) await store.delete(own)
    }
  }
  return { isHeld: () => heldMs() < LOST_MS, chain, release: () => release().catch(() => undefined) }
}
