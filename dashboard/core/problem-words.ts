import type { Problem } from './problem.ts'

/**
 * A problem in words for readers of a page, where it is explained, and what leads on from it: away from what is not
 * there, to the page as it is now, or to all participants.
 */
type Words = { title: string; detail: string; type: string | null; way: 'studies' | 'reload' | 'everyone' | null }

const CHANGED = {
  title: 'This has changed in the meantime',
  detail: 'Nothing of yours was saved. Reload the page to see the change, then make yours again.',
  type: null,
  way: 'reload',
} as const
const AWAY = {
  title: 'No connection to Gazette',
  detail: 'What you see was computed before. The page tries again by itself.',
  type: null,
  way: null,
}
const GONE = {
  title: 'This study is not there',
  detail: 'It was deleted, its address is misspelt, or your token may not read it.',
  type: null,
  way: 'studies',
} as const
const NOBODY = {
  title: 'This participant is not in the study',
  detail: 'They were removed, or the address is misspelt.',
  type: null,
  way: 'everyone',
} as const

/** Puts a problem in words without those of HTTP. @param isRetried whether it is tried again by itself */
export function inWords(
  { status, title, detail, type, errors, isStudyGone, isOutdated }: Problem,
  isRetried = false,
): Words {
  if (status === 0 && title === 'Gazette does not answer')
    return isRetried ? AWAY : { ...AWAY, detail: 'Try again when the network is back.' }
  if (status === 412 || status === 428) return CHANGED
  if (isStudyGone === true) return GONE
  if (errors?.some(({ parameter }) => parameter === 'participantId')) return NOBODY
  return { title, detail, type, way: isOutdated === true ? 'reload' : null }
}

/** Returns whether a problem passes by itself: no connection, or a server that is restarting or busy. */
export function isPassing({ status }: Pick<Problem, 'status'>): boolean {
  return [0, 502, 503, 504].includes(status)
}

const LONGEST_MS = 30_000

/** Returns how long to wait before the next try: 2, 4, 8 … 30 s, or as long as the server says. @param failed tries */
export function retryAfterMs(failed: number, retryAfterSeconds = 0): number {
  return Math.max(Math.min(LONGEST_MS, 1000 * 2 ** failed), 1000 * retryAfterSeconds)
}
