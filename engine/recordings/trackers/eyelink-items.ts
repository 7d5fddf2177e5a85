import { type Draft, itemOf, noteAssumed, noteDoubt } from '../draft/draft.ts'
import { placedAt } from '../draft/placed-at.ts'
import { joinedNames } from '../reader/joined-names.ts'
import { noteRunningNumbers } from '../reader/running-numbers.ts'
import { type Display, type DrawnPicture, IMGLOAD, LIKE_A_PICTURE, PATTERN, PICTURE_LIKE } from './eyelink-messages.ts'
import type { EyelinkTrial, FileTrials, TimedName } from './eyelink-trials.ts'

/** Trials of a file. */
export type ShownTrials = FileTrials & { fileName: string }

/** Names from one source, or from variables that belong together, such as `image1` and `image2`. */
type Source = {
  key: string
  labels: Set<string>
  rank: number
  names: Map<EyelinkTrial, Set<string>>
  distinct: number
}

const FILE_LIKE = /\.[a-z][a-z0-9]{1,4}$/i
/** Variables that can only hold the name of an item. */
const PICTURE = /^(image|picture|pic|img|stimulus|stim|filename|file|video)s?_?\d*(_?(name|file|filename|id|path))?$/
/** Parts of names in which the variables of one display differ. */
const ROLE =
  /\d+|(?<![a-z])(left|right|top|bottom|upper|lower|target|distractor|competitor|center|centre|middle|[a-dlr])(?![a-z])/g
/** Largest number of sources of item names; no experiment has more. */
const SOURCES_MAX = 20
/** Largest time between pictures of one display, in ms: those loaded further apart appeared one after the other. */
const AT_ONCE_MS = 100

/**
 * Names the items of all trials once they are read: by messages that match a pattern, by loaded pictures, or by the
 * variable whose values distinguish trials and look like files; otherwise by the trial's own name. Places tests at the
 * position of their picture.
 *
 * @returns whether an item is named by a mere running number
 */
export function nameItems(draft: Draft, files: ShownTrials[], hasPattern: boolean): boolean {
  for (const file of files) takeBetween(draft, file, hasPattern)
  const trials = files.flatMap((file) => file.trials.filter(({ test }) => test >= 0))
  const sources = [...sourcesOf(trials).values()]
  const chosen = chosenOf(sources, hasPattern)
  const pictures = sources.find(({ key }) => key === IMGLOAD)
  for (const trial of trials) {
    const names = chosen.find((source) => source.names.has(trial))?.names.get(trial)
    draft.tests[trial.test].item = itemOf(draft, names ? joinedNames([...names]) : trial.name)
    const [shown, ...more] = pictures?.names.get(trial) ?? []
    const isOne = shown !== undefined && more.length === 0
    const picture = isOne ? trial.named.findLast(({ source, name }) => source === IMGLOAD && name === shown) : undefined
    if (picture && trial.display) placeTest(draft, trial, picture.place, trial.display)
  }
  return noteNames(draft, trials, chosen)
}

/** Assigns names that come between trials to their trials. */
function takeBetween(draft: Draft, { trials, between, fileName }: ShownTrials, hasPattern: boolean): void {
  const bySource = new Map<string, { list: FileTrials['between']; own: Set<number> }>()
  for (const one of between) {
    const { source } = one.named
    if (hasPattern && source !== PATTERN) continue
    const group = bySource.get(source) ?? { list: [], own: new Set() }
    bySource.set(source, group)
    group.list.push(one)
  }
  for (const [i, { named }] of trials.entries()) for (const { source } of named) bySource.get(source)?.own.add(i)
  for (const { list, own } of bySource.values()) {
    const hasAt = (place: number) => list.some(({ side, behind }) => side === null && behind === place)
    const [hasFirst, hasLast] = [hasAt(0), hasAt(trials.length)]
    const given: [number, TimedName][] = []
    let unsure: TimedName | null = null
    for (const { behind, named, side } of list) {
      const at = (side ?? (hasFirst ? 'before' : 'after')) === 'after' ? behind - 1 : behind
      if (at < 0 || at >= trials.length || own.has(at)) continue
      given.push([at, named])
      if (side === null) unsure ??= named
    }
    // Without a pattern, names that occur rarely between trials belong to breaks or instructions.
    const isSeldom = 2 * new Set(given.map(([at]) => at)).size < trials.length
    if (!hasPattern && (own.size > 0 || isSeldom)) continue
    for (const [at, named] of given) trials[at].named.push(named)
    if (unsure !== null) noteSide(draft, fileName, unsure.name, hasFirst, hasLast)
  }
}

function noteSide(draft: Draft, fileName: string, name: string, hasFirst: boolean, hasLast: boolean): void {
  if (hasFirst === hasLast)
    noteDoubt(
      draft,
      `names of items come between the trials of ${fileName}, such as ${name}, and may be of the trial before or after them: they are taken to come ${hasFirst ? 'before' : 'after'} their trials, since ${hasFirst ? 'one' : 'none'} comes before the first; check that no item is one trial off`,
    )
  else if (hasLast)
    noteAssumed(draft, 'item names that follow a trial were assigned to it, since none comes before the first')
}

function sourcesOf(trials: EyelinkTrial[]): Map<string, Source> {
  const sources = new Map<string, Source>()
  for (const trial of trials)
    for (const { source: label, name } of trial.named) {
      const key = label === PATTERN || label === IMGLOAD ? label : `variable ${label.replace(ROLE, '*')}`
      const source = sources.get(key) ?? { key, labels: new Set(), rank: 0, names: new Map(), distinct: 0 }
      sources.set(key, source)
      source.labels.add(label)
      const names = source.names.get(trial)
      if (names === undefined) source.names.set(trial, new Set([name]))
      else names.add(name)
    }
  for (const source of sources.values()) {
    dropShared(source)
    source.rank = rankOf(source)
    source.distinct = new Set([...source.names.values()].map((names) => joinedNames([...names]))).size
  }
  return sources
}

/** Removes names that all trials share, such as that of a fixation cross, if other names distinguish the trials. */
function dropShared({ names }: Source): void {
  const lists = [...names.values()]
  if (lists.length < 2 || lists.every(({ size }) => size === 1)) return
  const counts = new Map<string, number>()
  for (const list of lists) for (const name of list) counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const [trial, list] of names) {
    const own = [...list].filter((name) => counts.get(name)! < lists.length)
    if (own.length > 0) names.set(trial, new Set(own))
  }
}

/**
 * Ranks a source: pictures first, then variables that hold files, then those named like a picture; -1 if it does not
 * name items.
 */
function rankOf({ key, labels, names }: Source): number {
  if (key === PATTERN || key === IMGLOAD) return 0
  const areAll = (pattern: RegExp) => [...names.values()].every((list) => [...list].every((name) => pattern.test(name)))
  const isCalled = [...labels].every((label) => LIKE_A_PICTURE.test(label))
  if (areAll(PICTURE_LIKE)) return isCalled ? 1 : 2
  if (isCalled && areAll(FILE_LIKE)) return 3
  return [...labels].every((label) => PICTURE.test(label.replace(ROLE, '').replace(/_+$|_+(?=_)/g, ''))) ? 4 : -1
}

/**
 * Returns the sources that name items, the best first, omitting those constant over all trials if another one varies.
 */
function chosenOf(sources: Source[], hasPattern: boolean): Source[] {
  const able = sources.filter(({ key, rank }) => (hasPattern ? key === PATTERN : rank >= 0))
  const differing = able.filter(({ distinct }) => distinct > 1)
  const chosen = differing.length > 0 ? differing : able
  return chosen.sort((a, b) => a.rank - b.rank || b.distinct - a.distinct).slice(0, SOURCES_MAX)
}

/** Sets the position of a test's picture on the display. */
function placeTest({ tests }: Draft, { test }: EyelinkTrial, place: DrawnPicture, display: Display): void {
  const { leftPx, topPx, widthPx, heightPx } = display
  if (place === null) tests[test].display = { leftPx: 0, topPx: 0, widthPx, heightPx }
  else tests[test].place = { xPx: place.xPx - leftPx, yPx: place.yPx - topPx, isCentre: place.isCentre }
  if (place?.size) tests[test].display = placedAt(tests[test].place!, place.size)
}

function noteNames(draft: Draft, trials: EyelinkTrial[], chosen: Source[]): boolean {
  const namesOf = (trial: EyelinkTrial) => [...(chosen.find(({ names }) => names.has(trial))?.names.get(trial) ?? [])]
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

/** Reports which variable names items, and which others could. */
function noteVariables(draft: Draft, [best, ...others]: Source[]): void {
  if (best === undefined || best.key === PATTERN || best.key === IMGLOAD) return
  const labelsOf = (list: Source[]) => list.flatMap(({ labels }) => [...labels]).join(', ')
  noteAssumed(draft, `items are named by the variable ${labelsOf([best])} of their trial`)
  const rivals = others.filter(({ rank }) => rank === best.rank)
  if (rivals.length > 0)
    noteDoubt(
      draft,
      `items are named by the variable ${labelsOf([best])}, and could be by ${labelsOf(rivals)}: --item-message '^!V TRIAL_VAR ${labelsOf(rivals.slice(0, 1))} (.+)' takes another`,
    )
}

function noteSeveral(draft: Draft, several: EyelinkTrial[], namesOf: (trial: EyelinkTrial) => string[]): void {
  const isApart = ({ named }: EyelinkTrial) => {
    const shown = named.filter(({ source }) => source === IMGLOAD || source === PATTERN)
    return shown.some(({ timeMs }) => timeMs - shown[0].timeMs > AT_ONCE_MS)
  }
  const shown = (trial: EyelinkTrial) => namesOf(trial).slice(0, 4).join(' + ')
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
