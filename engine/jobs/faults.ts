import { isCode, isDiskFull, isShortage } from '../files/durable.ts'
import { type ErrorCode, ServiceError } from '../model/errors.ts'

/**
 * How work is retried, of whatever kind: what passes, how often it is tried, when it is given up, and what may be told
 * of that. Exports, packages, imports, `gazette watch` and the merging of files all ask here; only a receiver of
 * webhooks has a schedule of its own, since days may pass until it answers again.
 */

/** How often work is tried in all, however it is put off. */
export const TRIES_MAX = 20
/** How long it waits in between. */
export const PUT_OFF_MS = 5000

/** What comes after a fault: a try that costs none of TRIES_MAX, another one, or none. */
export type Next = 'waits' | 'tried again' | 'over'

/** Says what comes after a fault. @param tries that were begun and neither ended nor handed back, with this one */
export function nextAfter(error: unknown, tries: number): Next {
  if (error instanceof ServiceError && error.code === 'busy') return 'waits'
  return isPassing(error) && tries < TRIES_MAX ? 'tried again' : 'over'
}

/**
 * Returns whether a fault may pass: another process is at it, too many open files, too little memory, a store that is
 * away, a disk that failed once; or the files of the try went with its record, which was damaged, removed, and may have
 * been asked for again. A full disk does not: whoever waits has to know.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return ['busy', 'overloaded', 'store_away'].includes(error.code)
  return isShortage(error) || isCode(error, 'EIO', 'ENOENT')
}

/**
 * Refuses what took its worker down again and again, for example by memory: it would do the same to the next one. A
 * death is a lock that ran out and a try that neither ended nor was handed back; a try beside another, once the queue
 * has lost its jobs, is none.
 *
 * @param stalls how often the queue found the worker's lock expired
 * @param tries begun and neither ended nor handed back, with the present one
 * @throws ServiceError set_aside
 */
export function refuseDeadly(stalls: number, tries: number, deathsMax: number): void {
  if (Math.min(stalls, tries - 1) >= deathsMax)
    throw new ServiceError('set_aside', `the worker died ${deathsMax} times while it was at it`)
}

export type Told = { code: ErrorCode | 'internal'; message: string }

/** What may be told of any kind of work. */
const TOLD: ErrorCode[] = ['corrupt', 'other_format', 'not_found', 'disk_full', 'set_aside', 'format_limit']

/** Returns what a client may be told of the fault that ended its work: no path, no SQL, no stack. */
export function toldOf(error: unknown, kind: { name: string; tells: readonly ErrorCode[] }): Told {
  if (isDiskFull(error)) return { code: 'disk_full', message: 'There is no space left on the disk' }
  if (error instanceof ServiceError && [...TOLD, ...kind.tells].includes(error.code))
    return { code: error.code, message: error.message }
  if (!isPassing(error))
    return { code: 'internal', message: `The ${kind.name} failed by a fault of Gazette; its log says more` }
  return {
    code: 'overloaded',
    message: `Given up after ${TRIES_MAX} tries: too many open files, too little memory, or a store that is away`,
  }
}
