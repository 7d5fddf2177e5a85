import { LRUCache } from 'lru-cache'
import { ProblemError } from '../problems.ts'
import { openBodyMemory } from './body-memory.ts'

/**
 * Semaphore over the memory of bodies, from their first byte until they are answered: one limit for all clients, and
 * half of it for each token.
 */
export type BodyRoom = { enter: (owner: string) => BodyPlace }
export type BodyPlace = {
  /** Returns shared memory of at least so many bytes, which may hold old content. */
  take: (bytes: number) => Buffer
  /**
   * Accounts for received bytes. The only body of all, or of its owner, may exceed the limit.
   *
   * @returns ms to wait before reading on, so that others get their turn
   * @throws ProblemError overloaded
   */
  grow: (bytes: number) => number
  /** Releases the memory, which nobody may read from then on. */
  leave: () => void
}

/** Rate limit of one owner, which only a fast network can reach. */
const BYTES_PER_MS = 32 * 1024
/** Burst that is read without waiting. */
const AHEAD_MS = 8
const OWNERS_MAX = 10_000

export function openBodyRoom(maxBytes: number): BodyRoom {
  const memory = openBodyMemory(maxBytes)
  const held = new Map<string, number>()
  let total = 0
  const add = (owner: string, bytes: number) => {
    total += bytes
    const ofOwner = (held.get(owner) ?? 0) + bytes
    if (ofOwner === 0) held.delete(owner)
    else held.set(owner, ofOwner)
    return ofOwner
  }
  const dues = new LRUCache<string, number>({ max: OWNERS_MAX })
  const waitOf = (owner: string, bytes: number) => {
    const now = performance.now()
    const due = Math.max(dues.get(owner) ?? 0, now) + bytes / BYTES_PER_MS
    dues.set(owner, due)
    return due - now > AHEAD_MS ? due - now : 0
  }
  return {
    enter: (owner) => {
      let own = 0
      const taken: Buffer[] = []
      return {
        take: (bytes) => {
          taken.push(memory.take(bytes))
          return taken.at(-1)!
        },
        grow: (bytes) => {
          own += bytes
          const ofOwner = add(owner, bytes)
          const isOver = (ofOwner > maxBytes / 2 && ofOwner > own) || (total > maxBytes && total > own)
          if (isOver)
            throw new ProblemError('overloaded', {
              detail: 'Request bodies of other requests take all the memory for bodies at the moment.',
            })
          return waitOf(owner, bytes)
        },
        leave: () => {
          add(owner, -own)
          own = 0
          for (const block of taken.splice(0)) memory.giveBack(block)
        },
      }
    },
  }
}
