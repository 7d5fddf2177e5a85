import { type Draft, noteDoubt } from '../bundle/draft.ts'
import type { Mapping } from '../reader/mapping.ts'
import type { Screen } from '../reader/reader.ts'

/** A run of rows in which a participant looked at an item: a test. Times are on the clock of the table. */
export type Look = {
  test: number
  screen: Screen
  firstMs: number
  lastMs: number
  /** From the sample before the last to the last; NaN while there is one alone. */
  stepMs: number
}

/** Two clocks, or a late frame, may move a time back by this much. */
const JITTER_MS = 100
/** A look goes on behind other rows within so many of its steps, or this long while it has no step. */
const [STEPS_MAX, PAUSE_MAX_MS] = [3, 200]

/** Returns whether a time begins a look anew, as where an item is shown twice in a row and each time counts from 0. */
export function isAnew({ firstMs, lastMs }: Look, tMs: number): boolean {
  return tMs < lastMs - JITTER_MS && tMs - firstMs <= (lastMs - firstMs) / 2
}

/**
 * Tells the looks of a table apart. An item that a participant has seen before is a new look, whether another item, rows without one,
 * or a clock that begins anew lies between. Rows of several people may alternate, and so may rows of several items whose times go on
 * without a hole, as in tables that are sorted by time.
 */
export function openLooks({ comesAgain }: Mapping, draft: Draft) {
  const looks = new Map<string, Look>()
  /** The key of the look that each participant is at. */
  const current = new Map<string, string>()
  let again = 0

  const goesOn = (who: string, key: string, look: Look, tMs: number) => {
    if (comesAgain === 'same-test') return true
    if (isAnew(look, tMs)) return false
    if (current.get(who) === key) return true
    const pauseMs = tMs - look.lastMs
    return Math.abs(pauseMs) <= (Number.isNaN(look.stepMs) ? PAUSE_MAX_MS : STEPS_MAX * look.stepMs)
  }
  return {
    /** Returns the look that a sample belongs to, begun if it is a new one. */
    at: (who: string, what: string, which: string, tMs: number, start: (tMs: number) => Look): Look => {
      const key = JSON.stringify([who, what, which])
      const known = looks.get(key)
      const isSame = known !== undefined && goesOn(who, key, known, tMs)
      current.set(who, key)
      if (isSame) return known
      if (known !== undefined && again++ === 0) noteAgain(draft, `${who} at ${what}`)
      const look = start(tMs)
      looks.set(key, look)
      return look
    },
    /** Ends the look of a participant, as a row without an item does. */
    end: (who: string): void => void current.delete(who),
  }
}

function noteAgain(draft: Draft, example: string): void {
  noteDoubt(
    draft,
    `items come again, first for ${example}: each time is a test of its own; with "comesAgain": "same-test" in the mapping, all rows of an item and trial are one`,
  )
}
