import { type Draft, noteDoubt } from '../draft/draft.ts'
import type { Mapping } from '../reader/mapping.ts'
import type { Screen } from '../reader/reader.ts'

/** A run of rows in which a participant viewed an item, which becomes a test. Times are on the clock of the table. */
export type TestLook = {
  test: number
  screen: Screen
  firstMs: number
  lastMs: number
  /** Interval between the last two samples; NaN while there is only one. */
  stepMs: number
}

/** Largest backward step of a time, in ms, that two clocks or a late frame explain. */
const JITTER_MS = 100
/** Largest gap that other rows may leave in a look: in steps of the look, or in ms before it has a step. */
const [STEPS_MAX, PAUSE_MAX_MS] = [3, 200]

/**
 * Counts of looks that a person should check: those at items that come again, and those with a gap; `longestMs` is the
 * longest gap.
 */
export type LookTallies = {
  again: number
  firstAgain: string
  holes: number
  firstHole: string
  longestMs: number
  /** Test with the last gap. */
  holeIn: number
}

export function noTallies(): LookTallies {
  return { again: 0, firstAgain: '', holes: 0, firstHole: '', longestMs: 0, holeIn: -1 }
}

/** Shortest gap that is reported: no blink lasts as long, and eyes that look away still have samples. */
const HOLE_MS = 2000

/** Adds the next sample to a look. */
export function goOn(look: TestLook, tMs: number, tallies: LookTallies, nameOf: () => string): void {
  const stepMs = tMs - look.lastMs
  look.lastMs = tMs
  if (stepMs > 0 && stepMs <= PAUSE_MAX_MS) look.stepMs = stepMs
  if (!(stepMs > HOLE_MS)) return
  if (tallies.holes === 0) tallies.firstHole = nameOf()
  if (tallies.holeIn !== look.test) tallies.holes++
  tallies.holeIn = look.test
  tallies.longestMs = Math.max(tallies.longestMs, stepMs)
}

/** Returns whether a time starts a new look, as if an item is shown twice in a row and each time counts from 0. */
export function isAnew({ firstMs, lastMs }: TestLook, tMs: number): boolean {
  return tMs < lastMs - JITTER_MS && tMs - firstMs <= (lastMs - firstMs) / 2
}

/**
 * Splits the rows of a table into looks. An item that a participant has seen before starts a new look, whether another
 * item, rows without an item, or a clock reset lies between. Rows of several people may alternate, and so may rows of
 * several items whose times continue without a gap, as in tables sorted by time.
 */
export function openLooks({ comesAgain }: Mapping, tallies: LookTallies) {
  const looks = new Map<string, TestLook>()
  /** Key of each participant's current look. */
  const current = new Map<string, string>()

  const goesOn = (who: string, key: string, look: TestLook, tMs: number) => {
    if (comesAgain === 'same-test') return true
    if (isAnew(look, tMs)) return false
    if (current.get(who) === key) return true
    const pauseMs = tMs - look.lastMs
    return Math.abs(pauseMs) <= (Number.isNaN(look.stepMs) ? PAUSE_MAX_MS : STEPS_MAX * look.stepMs)
  }
  return {
    /** Returns the look of a sample, and starts it if it is new. */
    at: (who: string, what: string, which: string, tMs: number, start: (tMs: number) => TestLook): TestLook => {
      const key = JSON.stringify([who, what, which])
      const known = looks.get(key)
      const isSame = known !== undefined && goesOn(who, key, known, tMs)
      current.set(who, key)
      if (isSame) return known
      if (known !== undefined && tallies.again++ === 0) tallies.firstAgain = `${who} at ${what}`
      const look = start(tMs)
      looks.set(key, look)
      return look
    },
    /** Ends a participant's look, as at a row without an item. */
    end: (who: string): void => void current.delete(who),
  }
}

export function noteLooks(draft: Draft, { again, firstAgain, holes, firstHole, longestMs }: LookTallies): void {
  if (again > 0)
    noteDoubt(
      draft,
      `items come again in ${again === 1 ? 'one test' : `${again.toLocaleString('en')} tests`}, first for ${firstAgain}: each time is a test of its own; with "comesAgain": "same-test" in the mapping, all rows of an item and trial are one`,
    )
  if (holes > 0)
    noteDoubt(
      draft,
      `${holes === 1 ? 'one test is' : `${holes.toLocaleString('en')} tests are`} interrupted, for up to ${Math.round(longestMs / 1000).toLocaleString('en')} s, first that of ${firstHole}: where an item was shown again, name the column in the mapping that tells its trials apart`,
    )
}
