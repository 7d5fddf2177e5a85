import { numberIn } from '../../text/parse-number.ts'
import type { RowRuns } from './runs.ts'

/** Columns that name participants, items and trials by how their values recur; -1 for none. */
export type FoundNames = {
  participant: number
  item: number
  trial: number
  /** Columns that may name any of them, if none is chosen. */
  unclear: number[]
}

type Label = {
  column: number
  /** Index of the value of each run among the different ones. */
  codes: Int32Array
  values: string[]
  /** True if each value has one block of runs. */
  isBlocks: boolean
  isNumber: boolean
}

export const PICTURE_ENDING = /\.(png|jpe?g|bmp|gif|webp|avif|svg|tiff?|mp4|avi|mov|wmv)$/i
const PERSON = /^(p|s|sub|subj|subject|vp|vpn|participant|ppt?|proband|pilot)[-_ ]?\d+$/i
/** Least mean number of rows of a name. */
export const ROWS_LEAST = 15
/** Longest pause between tests of one person, in ms, and shortest one between two tests, in sampling intervals. */
const [PAUSE_MOST_MS, PAUSE_LEAST_STEPS] = [10_000, 3]
/** Shortest pause between two people on one clock, in ms; blocks follow sooner. */
const OTHERS_LEAST_MS = 600_000
/** Least share of a name's changes at which the clock pauses or begins anew. */
const BREAKS_LEAST = 0.8
const NONE: FoundNames = { participant: -1, item: -1, trial: -1, unclear: [] }

/** The clock of a table, in ms: times of the first and last row of each run, and its usual step. */
export type RunTimes = { first: Float64Array; last: Float64Array; stepMs: number }

/**
 * Returns which are participants, items and trials: participants have a block of rows each, items recur with each of
 * them, and trials count up. The clock pauses or begins anew where they change.
 *
 * @param times null without a clock
 */
export function findNames(runs: RowRuns, taken: number[], times: RunTimes | null): FoundNames {
  const all = runs.labels.flatMap(({ column, values }) => (taken.includes(column) ? [] : labelOf(column, values, runs)))
  const labels = all.filter((one) => breaksTime(one, runs, times))
  if (labels.length === 0) return { ...NONE, unclear: columnsOf(all) }
  const blocks = labels.filter(({ isBlocks }) => isBlocks)
  const recurring = labels.filter(({ isBlocks }) => !isBlocks)
  const people = blocks
    .filter((one) => recurring.some((other) => recursIn(other, one)) && arePeople(one, runs, times))
    .sort((a, b) => b.values.length - a.values.length)[0]
  if (people !== undefined) {
    const items = finest(recurring, people)
    const found = tellItems(items, people)
    return found === null
      ? { ...NONE, participant: people.column, unclear: columnsOf(items) }
      : { ...found, participant: people.column }
  }
  if (recurring.length > 0) return { ...NONE, unclear: columnsOf(labels) }
  return tellBlocks(blocks, runs, times)
}

const columnsOf = (labels: Label[]) => labels.map(({ column }) => column)

/** Returns a column as a label, if it has several values that last, and no numbers but counted ones. */
function labelOf(column: number, texts: string[], { rows }: RowRuns): Label[] {
  const values = [...new Set(texts)]
  const codes = Int32Array.from(texts, (text) => values.indexOf(text))
  const starts = texts.filter((text, i) => i === 0 || text !== texts[i - 1]).length
  const numbers = values.map((text) => numberIn(text)).sort((a, b) => a - b)
  const isNumber = !numbers.some(Number.isNaN)
  const isCounted = numbers.every((number, i) => i === 0 || number - numbers[i - 1] === 1)
  const count = rows.reduce((sum, one) => sum + one, 0)
  const isLabel = values.length > 1 && !values.includes('') && count >= ROWS_LEAST * starts && (!isNumber || isCounted)
  return isLabel ? [{ column, codes, values, isBlocks: starts === values.length, isNumber }] : []
}

/** Returns whether most values of a label come with several values of another. */
function recursIn({ codes, values }: Label, other: Label): boolean {
  const seen = values.map(() => new Set<number>())
  for (const [i, code] of codes.entries()) seen[code].add(other.codes[i])
  return seen.filter(({ size }) => size > 1).length >= 0.8 * values.length
}

/** Returns the labels that, with the participant, tell the most tests apart. */
function finest(labels: Label[], people: Label): Label[] {
  const tests = labels.map(({ codes }) => new Set(codes.map((code, i) => people.codes[i] * 1e6 + code)).size)
  const most = Math.max(...tests)
  return labels.filter((_, i) => tests[i] === most)
}

/** Returns which is the item and which the trial; null if they cannot be told apart. */
function tellItems(labels: Label[], people: Label | null): Omit<FoundNames, 'participant'> | null {
  const counts = labels.filter((one) => one.isNumber && countsUp(one, people))
  const rest = labels.filter((one) => !counts.includes(one))
  const pictures = rest.filter(({ values }) => values.every((value) => PICTURE_ENDING.test(value)))
  const items = pictures.length > 0 ? pictures : rest
  if (items.length > 1 && !areSame(items)) return null
  const [trial, item] = [counts[0]?.column ?? -1, items[0]?.column ?? -1]
  return { item, trial, unclear: [] }
}

/** Returns whether a number grows from run to run of a participant. */
function countsUp({ codes, values }: Label, people: Label | null): boolean {
  for (let i = 1; i < codes.length; i++) {
    const isSame = people === null || people.codes[i] === people.codes[i - 1]
    if (isSame && Number(values[codes[i]]) < Number(values[codes[i - 1]])) return false
  }
  return true
}

/** Returns whether labels are names of the same things. */
function areSame([first, ...others]: Label[]): boolean {
  return others.every((one) => {
    const pairs = new Set(one.codes.map((code, i) => first.codes[i] * 1e6 + code))
    return pairs.size === first.values.length && pairs.size === one.values.length
  })
}

/** Returns what labels name whose values come once each: the items of one person, or people with one item. */
function tellBlocks(blocks: Label[], runs: RowRuns, times: RunTimes | null): FoundNames {
  const unclear = { ...NONE, unclear: columnsOf(blocks) }
  const isAll = (pattern: RegExp) => blocks.filter(({ values }) => values.every((value) => pattern.test(value)))
  const [pictures, persons] = [isAll(PICTURE_ENDING), isAll(PERSON)]
  const rest = blocks.filter((one) => !persons.includes(one))
  if (persons.length > 1) return unclear
  if (persons.length === 1) {
    const found = rest.length === 0 ? { ...NONE } : tellItems(finest(rest, persons[0]), persons[0])
    return found === null ? unclear : { ...found, participant: persons[0].column, unclear: [] }
  }
  if (pictures.length === 0 && !runsOn(runs, times)) return unclear
  const found = tellItems(finest(blocks, blocks[0]), null)
  return found === null ? unclear : { ...found, participant: -1 }
}

/** Returns whether the clock pauses, or begins anew, where a name changes. */
function breaksTime({ codes }: Label, { files }: RowRuns, times: RunTimes | null): boolean {
  if (times === null) return false
  let [changes, breaks] = [0, 0]
  for (let i = 1; i < codes.length; i++) {
    if (codes[i] === codes[i - 1]) continue
    changes++
    const pauseMs = times.first[i] - times.last[i - 1]
    if (files[i] !== files[i - 1] || !(pauseMs >= 0 && pauseMs <= PAUSE_LEAST_STEPS * times.stepMs)) breaks++
  }
  return breaks >= BREAKS_LEAST * changes
}

/**
 * Returns whether blocks are people rather than parts of an experiment: their names are those of people, or no numbers
 * and the clock of each is another.
 */
function arePeople({ codes, values, isNumber }: Label, { files }: RowRuns, times: RunTimes | null): boolean {
  if (values.every((value) => PERSON.test(value))) return true
  if (isNumber || times === null || startAtZero(times)) return false
  return codes.every((code, i) => {
    if (i === 0 || code === codes[i - 1]) return true
    const pauseMs = times.first[i] - times.last[i - 1]
    return files[i] !== files[i - 1] || !(pauseMs >= 0 && pauseMs <= OTHERS_LEAST_MS)
  })
}

/** Returns whether each run begins near 0, so that the clock says nothing about whose it is. */
function startAtZero({ first }: RunTimes): boolean {
  return first.every((ms) => Math.abs(ms) <= PAUSE_MOST_MS)
}

/** Returns whether a clock runs on from run to run with short pauses, as in one recording. */
function runsOn({ n }: RowRuns, times: RunTimes | null): boolean {
  if (times === null) return false
  for (let i = 1; i < n; i++) {
    const pauseMs = times.first[i] - times.last[i - 1]
    if (!(pauseMs >= 0 && pauseMs <= PAUSE_MOST_MS)) return false
  }
  return true
}
