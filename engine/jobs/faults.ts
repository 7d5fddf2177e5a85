import { type ErrorCode, ServiceError } from '../model/errors.ts'
import { isCode, isDiskFull, isReadOnly, isShortage } from '../model/system-errors.ts'

/**
 * Decides how work of any kind is retried: which faults are transient, how often it is retried, when it is given up,
 * and which errors may be shown. Exports, packages, imports, `gazette watch` and the merging of files all ask here;
 * only a receiver of webhooks has a schedule of its own, since days may pass until it answers again.
 */

/** Maximum number of tries, however they are delayed. */
export const TRIES_MAX = 20
/** Delay between tries. */
export const PUT_OFF_MS = 5000

/** Consequence of a fault: a retry that costs none of TRIES_MAX, a retry, or none. */
type Next = 'waits' | 'tried again' | 'over'

/**
 * Decides what follows a fault: a retry or giving up.
 *
 * @param tries that were begun and neither ended nor handed back, with this one
 */
export function nextAfter(error: unknown, tries: number): Next {
  if (error instanceof ServiceError && error.code === 'busy') return 'waits'
  return isTransient(error) && tries < TRIES_MAX ? 'tried again' : 'over'
}

/**
 * Returns true if a fault is transient: a lock held by another process, too many open files, too little memory, an
 * unavailable store, a disk that failed once or is read-only; or the files of the try were removed with its damaged
 * record, and the job may have been requested again. A full disk is permanent, since clients must know.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ServiceError) return ['busy', 'overloaded', 'store_away'].includes(error.code)
  return isShortage(error) || isReadOnly(error) || isCode(error, 'EIO', 'ENOENT')
}

/**
 * Counts the deaths of workers in the middle of work: an expired lock and a try that neither ended nor was handed back.
 * A concurrent try, which occurs after the queue has lost its jobs, does not count. A death alone says little: the
 * machine may have been taken away, or another job may have needed its memory.
 *
 * @param stalls how often the queue found the worker's lock expired
 * @param tries begun and neither ended nor handed back, with the present one
 * @throws ServiceError set_aside once TRIES_MAX workers have died of it
 */
export function deathsOf(stalls: number, tries: number): number {
  const deaths = Math.min(stalls, tries - 1)
  if (deaths >= TRIES_MAX) throw new ServiceError('set_aside', `${deaths} workers died while they were at it`)
  return deaths
}

export type PublicError = { code: ErrorCode | 'internal'; message: string }

/** Errors that may be shown, for any kind of work. */
const PUBLIC_CODES: ErrorCode[] = [
  'corrupt',
  'other_format',
  'not_found',
  'moved_on',
  'disk_full',
  'set_aside',
  'format_limit',
]

/** Returns the message for clients about the fault that ended their work: no path, no SQL, no stack. */
export function publicError(error: unknown, kind: { name: string; tells: readonly ErrorCode[] }): PublicError {
  if (isDiskFull(error)) return { code: 'disk_full', message: 'There is no space left on the disk' }
  if (error instanceof ServiceError && [...PUBLIC_CODES, ...kind.tells].includes(error.code))
    return { code: error.code, message: error.message }
  if (!isTransient(error))
    return { code: 'internal', message: `The ${kind.name} failed by a fault of Gazette; its log says more` }
  return {
    code: 'overloaded',
    message: `Given up after ${TRIES_MAX} tries: too many open files, too little memory, or a store that is away`,
  }
}
