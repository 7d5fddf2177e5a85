import { type Draft, itemOf, noteAssumed, noteDoubt } from '../bundle/draft.ts'
import { placedAt } from '../bundle/placed-at.ts'
import { joinedNames } from '../reader/joined-names.ts'
import { noteRunningNumbers } from '../reader/running-numbers.ts'
import { type Display, IMGLOAD, PATTERN, type Place } from './eyelink-messages.ts'
import type { FileTrials, TimedName, Trial } from './eyelink-trials.ts'

/** The trials of a file, and the display on which they were shown. */
export type ShownTrials = FileTrials & { fileName: string; display: Display | null }

/** Names of one source, or of variables that belong together, such as `image1` and `image2`. */
type Source = { key: string; labels: Set<string>; rank: number; names: Map<Trial, string[]>; distinct: number }

const FILE_LIKE = /\.[a-z][a-z0-9]{1,4}$/i
const PICTURE_LIKE = /\.(png|jpe?g|bmp|gif|tiff?|webp|svg|avif|ppm|pcx|mp4|avi|mov|mpe?g|wmv|webm|ogv|mkv|xvd|html?)$/i
/** Variables that name a picture, by what their name begins with, and those that can hold nothing else. */
const LIKE_A_PICTURE =
  /^(image|picture|pic|img|stimulus|stim|filename|file|video|photo|scene|movie|clip|audio|sound|text)/
const PICTURE = /^(image|picture|pic|img|stimulus|stim|filename|file|video)s?_?\d*(_?(name|file|filename|id|path))?$/
/** Parts of names by which variables of one display differ. */
const ROLE =
  /\d+|(?<![a-z])(left|right|top|bottom|upper|lower|target|distractor|competitor|center|centre|middle|[a-dlr])(?![a-z])/g
/** Pictures loaded further apart than that were shown one after the other. */
const AT_ONCE_MS = 100

/**
 * Names the items of all trials once they are read: by messages that a pattern matches, by the pictures that were loaded, or by the
 * variable whose values tell trials apart and look like files; else by the trial's own name. Places tests where their picture lay.
 *
 * @returns whether an item is called by a number that only counts
 */
export function nameItems(draft: Draft, files: ShownTrials[], hasPattern: boolean): boolean {
  for (const file of files) takeBetween(draft, file, hasPattern)
  const read = files.map((file) => ({ ...file, trials: file.trials.filter(({ test }) => test >= 0) }))
  const trials = read.flatMap((file) => file.trials)
  const sources = [...sourcesOf(trials).values()]
  const chosen = chosenOf(sources, hasPattern)
  const pictures = sources.find(({ key }) => key === IMGLOAD)
  for (const { trials: own, display } of read) {
    for (const trial of own) {
      const names = chosen.map((source) => source.names.get(trial)).find((list) => list !== undefined)
      draft.tests[trial.test].item = itemOf(draft, names ? joinedNames(names) : trial.name)
      const shown = pictures?.names.get(trial) ?? []
      const picture = shown.length === 1 ? trial.named.findLast(({ name }) => name === shown[0]) : undefined
      if (picture && display) placeTest(draft, trial, picture.place, display)
    }
  }
  return noteNames(draft, trials, chosen)
}

/** Gives names that come between trials to the trial that they are of. */
function takeBetween(draft: Draft, { trials, between, fileName }: ShownTrials, hasPattern: boolean): void {
  for (const source of new Set(between.map(({ named }) => named.source))) {
    if (hasPattern && source !== PATTERN) continue
    const list = between.filter(({ named }) => named.source === source)
    const free = list.filter(({ side }) => side === null)
    const [hasFirst, hasLast] = [0, trials.length].map((at) => free.some(({ behind }) => behind === at))
    const own = trials.map(({ named }) => named.some((one) => one.source === source))
    const given = new Map<Trial, TimedName[]>()
    let unsure: TimedName | null = null
    for (const { behind, named, side } of list) {
      const at = (side ?? (hasFirst ? 'before' : 'after')) === 'after' ? behind - 1 : behind
      if (at < 0 || at >= trials.length || own[at]) continue
      given.set(trials[at], [...(given.get(trials[at]) ?? []), named])
      if (side === null) unsure ??= named
    }
    // Without a pattern, what comes now and then between trials is of a break or an instruction.
    if (!hasPattern && (own.includes(true) || 2 * given.size < trials.length)) continue
    for (const [trial, names] of given) trial.named.push(...names)
    if (unsure !== null) noteSide(draft, fileName, unsure.name, hasFirst, hasLast)
  }
}

function noteSide(draft: Draft, fileName: string, name: string, hasFirst: boolean, hasLast: boolean): void {
  if (hasFirst === hasLast)
    noteDoubt(
      draft,
      `names of items come between the trials of ${fileName}, such as ${name}, and may be of the trial before or after them: they are taken to come ${hasFirst ? 'before' : 'after'} their trials, since ${hasFirst ? 'one' : 'none'} comes before the first; see that no item is one trial off`,
    )
  else if (hasLast)
    noteAssumed(draft, 'names of items that come after a trial are of that trial, since none comes before the first')
}

function sourcesOf(trials: Trial[]): Map<string, Source> {
  const sources = new Map<string, Source>()
  for (const trial of trials)
    for (const { source: label, name } of trial.named) {
      const key = label === PATTERN || label === IMGLOAD ? label : `variable ${label.replace(ROLE, '*')}`
      const source = sources.get(key) ?? { key, labels: new Set(), rank: 0, names: new Map(), distinct: 0 }
      sources.set(key, source)
      source.labels.add(label)
      const names = source.names.get(trial)
      if (names === undefined) source.names.set(trial, [name])
      else if (!names.includes(name)) names.push(name)
    }
  for (const source of sources.values()) {
    dropShared(source)
    source.rank = rankOf(source)
    source.distinct = new Set([...source.names.values()].map(joinedNames)).size
  }
  return sources
}

/** Leaves out names that all trials have, as of a fixation cross, where others tell the trials apart. */
function dropShared({ names }: Source): void {
  const lists = [...names.values()]
  if (lists.length < 2 || lists.every(({ length }) => length === 1)) return
  const counts = new Map<string, number>()
  for (const name of lists.flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const [trial, list] of names) {
    const own = list.filter((name) => counts.get(name)! < lists.length)
    if (own.length > 0) names.set(trial, own)
  }
}

/** Ranks what a source says: pictures, then variables that hold files, then those called like a picture; -1 for what names no item. */
function rankOf({ key, labels, names }: Source): number {
  if (key === PATTERN || key === IMGLOAD) return 0
  const values = [...names.values()].flat()
  const isCalled = [...labels].every((label) => LIKE_A_PICTURE.test(label))
  if (values.every((value) => PICTURE_LIKE.test(value))) return isCalled ? 1 : 2
  if (isCalled && values.every((value) => FILE_LIKE.test(value))) return 3
  return [...labels].every((label) => PICTURE.test(label.replace(ROLE, '').replace(/_+$|_+(?=_)/g, ''))) ? 4 : -1
}

/** Returns the sources that name items, the best first: none that is the same in all trials, while another differs. */
function chosenOf(sources: Source[], hasPattern: boolean): Source[] {
  const able = sources.filter(({ key, rank }) => (hasPattern ? key === PATTERN : rank >= 0))
  const differing = able.filter(({ distinct }) => distinct > 1)
  return (differing.length > 0 ? differing : able).sort((a, b) => a.rank - b.rank || b.distinct - a.distinct)
}

/** Says where on the display the picture of a test lay. */
function placeTest({ tests }: Draft, { test }: Trial, place: Place, display: Display): void {
  const { leftPx, topPx, widthPx, heightPx } = display
  if (place === null) tests[test].display = { leftPx: 0, topPx: 0, widthPx, heightPx }
  else tests[test].place = { xPx: place.xPx - leftPx, yPx: place.yPx - topPx, isCentre: place.isCentre }
  if (place?.size) tests[test].display = placedAt(tests[test].place!, place.size)
}

function noteNames(draft: Draft, trials: Trial[], chosen: Source[]): boolean {
  const namesOf = (trial: Trial) => chosen.find(({ names }) => names.has(trial))?.names.get(trial) ?? []
  noteVariables(draft, chosen)
  const several = trials.filter((trial) => namesOf(trial).length > 1)
  if (several.length > 0) noteSeveral(draft, several, namesOf)
  const hasNumbers = trials.some((trial) => namesOf(trial).length === 0 && /^(trial|recording) \d+$/.test(trial.name))
  if (hasNumbers)
    noteRunningNumbers(
      draft,
      'the number of their trial or recording',
      'name them with --item-message or --trial-message',
    )
  return hasNumbers
}

/** Says which variable names items, and which others could. */
function noteVariables(draft: Draft, [best, ...others]: Source[]): void {
  if (best === undefined || best.key === PATTERN || best.key === IMGLOAD) return
  const labelsOf = (list: Source[]) => list.flatMap(({ labels }) => [...labels]).join(', ')
  noteAssumed(draft, `items are called by the variable ${labelsOf([best])} of their trial`)
  const rivals = others.filter(({ rank }) => rank === best.rank)
  if (rivals.length > 0)
    noteDoubt(
      draft,
      `items are called by the variable ${labelsOf([best])}, and could be by ${labelsOf(rivals)}: --item-message '^!V TRIAL_VAR ${labelsOf(rivals.slice(0, 1))} (.+)' takes another`,
    )
}

function noteSeveral(draft: Draft, several: Trial[], namesOf: (trial: Trial) => string[]): void {
  const isApart = ({ named }: Trial) => {
    const times = named.filter(({ source }) => source === IMGLOAD || source === PATTERN).map(({ timeMs }) => timeMs)
    return times.length > 1 && Math.max(...times) - Math.min(...times) > AT_ONCE_MS
  }
  const shown = (trial: Trial) => namesOf(trial).slice(0, 4).join(' + ')
  noteAssumed(
    draft,
    `several pictures of the same trial are one display, called by all of them, such as ${shown(several[0])}`,
  )
  const apart = several.find(isApart)
  if (apart !== undefined)
    noteDoubt(
      draft,
      `several pictures of a trial were named one after the other, such as ${shown(apart)}: if each was shown by itself, --trial-message says what begins each`,
    )
}
