import { UUID } from '../../model/parameters.ts'
import { type Draft, type DraftItem, type DraftParticipant, noteAssumed, noteDoubt } from '../draft/draft.ts'
import { takeItems, takeParticipants } from '../draft/keep-tests.ts'
import { shortened } from '../draft/note-texts.ts'
import type { ContinuedStudy } from './continued-study.ts'

/** A name, the number of tests that have it, and whether the study has it already. */
type Named = { name: string; tests: number; isKnown: boolean }
/** Names that are one name but for their spelling; the first is the usual one. */
type Group = Named[]

/**
 * Finds participants and items whose names differ only in case, Unicode form, leading zeros, a `.0`, or, for items, in
 * their folders: with those of the study, too. They are joined on request, and reported otherwise.
 */
export function joinNearNames(draft: Draft, isAsked: boolean, continued: ContinuedStudy | null): void {
  const people = draft.participants.map(({ id, externalId }) => (id === null ? externalId : ''))
  const knownPeople = continued?.participants.map(({ name }) => name) ?? []
  const [inPeople, inItems] = [countOf(draft, 'participant'), countOf(draft, 'item')]
  const nearPeople = groupsOf(people, inPeople, knownPeople, { hasFolders: false })
  const items = draft.items.map(({ id, filename }) => (id === null ? filename : ''))
  const nearItems = groupsOf(items, inItems, continued?.items.map(({ name }) => name) ?? [], { hasFolders: true })
  if (isAsked) {
    takeParticipants(draft, joined(people, nearPeople, draft.participants, renameParticipant))
    takeItems(draft, joined(items, nearItems, draft.items, renameItem))
  }
  note(draft, isAsked, nearPeople, 'participants', 'case, leading zeros or the like')
  note(draft, isAsked, nearItems, 'items', 'folder, ending, case, leading zeros or the like')
}

function countOf({ tests }: Draft, of: 'participant' | 'item'): Map<number, number> {
  const counts = new Map<number, number>()
  for (const test of tests) counts.set(test[of], (counts.get(test[of]) ?? 0) + 1)
  return counts
}

/** Groups names that differ only in spelling; names of UUIDs are compared by nobody. */
function groupsOf(
  names: string[],
  counts: Map<number, number>,
  known: string[],
  { hasFolders }: { hasFolders: boolean },
): Group[] {
  const byKey = new Map<string, Group[]>()
  const all = [
    ...known.map((name) => ({ name, tests: Number.POSITIVE_INFINITY, isKnown: true })),
    ...names.map((name, i) => ({ name, tests: counts.get(i) ?? 0, isKnown: false })),
  ]
  for (const one of all) {
    if (one.name === '' || UUID.test(one.name)) continue
    const key = hasFolders ? spelling(withoutEnding(lastOf(one.name))) : spellingOfPerson(one.name)
    const groups = byKey.get(key) ?? []
    byKey.set(key, groups)
    const group = groups.find((near) => !hasFolders || near.some(({ name }) => areOfOneFolder(name, one.name)))
    if (group === undefined) groups.push([one])
    else if (group.every(({ name }) => name !== one.name)) group.push(one)
  }
  const near = [...byKey.values()].flat().filter((group) => group.length > 1 && group.some(({ isKnown }) => !isKnown))
  return near.map((group) => group.sort((a, b) => b.tests - a.tests))
}

/** Returns what spellings of a name share. */
function spelling(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^(\d+)\.0+$/, '$1')
    .replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, ''))
}

/** Returns what spellings of a person's name share: P-01, P_01, P 01 and P01. */
const spellingOfPerson = (name: string) =>
  spelling(name)
    .replace(/(\p{L})[\s_-]+(?=\d)/gu, '$1')
    .replace(/(\p{L})[\s_-]+(?=\p{L})/gu, '$1 ')

const ENDING = /\.(png|jpe?g|bmp|gif|webp|avif|svg|tiff?|mp4|avi|mov|wmv)$/i
const withoutEnding = (name: string) => name.replace(ENDING, '')

const partsOf = (path: string) => path.split(/[\\/]+/)
const lastOf = (path: string) => partsOf(path).at(-1) || path
const isAbsolute = (path: string) => /^([a-z]:|[a-z]+:\/)?[\\/]/i.test(path)

/** Returns whether two paths of the same name may lead to one file: seen from elsewhere, or on another machine. */
function areOfOneFolder(a: string, b: string): boolean {
  // A name without an ending may be that of any picture.
  const isBare = !ENDING.test(a) || !ENDING.test(b)
  const [one, other] = [a, b].map((path) => partsOf(isBare ? withoutEnding(path) : path).map(spelling))
  const most = Math.min(one.length, other.length)
  let shared = 0
  while (shared < most && one.at(-1 - shared) === other.at(-1 - shared)) shared++
  if (shared === most) return true
  return isAbsolute(a) && isAbsolute(b) && (shared > 1 || one[0] !== other[0])
}

/** Returns the new index of each name, and gives those that are kept the usual name of their group. */
function joined<T>(
  names: string[],
  groups: Group[],
  entries: T[],
  rename: (kept: T, name: string, others: T[]) => void,
): Int32Array {
  const groupOf = new Map(groups.flatMap((group) => group.map(({ name }) => [name, group] as const)))
  const indexes = new Int32Array(names.length)
  const firsts = new Map<Group, number>()
  let next = 0
  for (const [i, name] of names.entries()) {
    const group = groupOf.get(name)
    const first = group && firsts.get(group)
    if (group && first === undefined) firsts.set(group, i)
    indexes[i] = first === undefined ? next++ : indexes[first]
  }
  for (const [group, first] of firsts)
    rename(
      entries[first],
      group[0].name,
      entries.filter((_, i) => i !== first && groupOf.get(names[i]) === group),
    )
  return indexes
}

function renameParticipant(kept: DraftParticipant, name: string, others: DraftParticipant[]): void {
  kept.key = name
  kept.externalId = name
  for (const other of others) {
    kept.files = [...new Set([...kept.files, ...other.files])]
    kept.age ??= other.age
    kept.gender ??= other.gender
    for (const kind of ['tags', 'externalData', 'facts'] as const)
      for (const [column, value] of other[kind])
        kept[kind].set(column, !kept[kind].has(column) || kept[kind].get(column) === value ? value : null)
  }
}

function renameItem(kept: DraftItem, name: string, others: DraftItem[]): void {
  kept.key = name
  kept.filename = name
  for (const { widthPx, heightPx } of others) {
    kept.widthPx ??= widthPx
    kept.heightPx ??= heightPx
  }
}

function note(draft: Draft, isAsked: boolean, groups: Group[], what: string, how: string): void {
  if (groups.length === 0) return
  const list = shortened(
    groups.map((group) => group.map(({ name }) => name).join(' and ')),
    '; ',
  )
  if (isAsked) noteAssumed(draft, `names of ${what} that differ only in ${how} are one: ${list}`)
  else
    noteDoubt(
      draft,
      `names of ${what} differ only in ${how}, and count as different: ${list}; --join-names takes them as one`,
    )
}
