import type { Study } from '../model/study.ts'

/**
 * Names of a study in memory, for searches: those of its items, then those of their AOIs, each once an item. Two texts
 * with a name a line instead of thousands of objects: `names` as they are, `folded` as they are compared.
 */
export type SearchedNames = {
  /** Folded name of the study itself. */
  study: string
  names: string
  folded: string
  itemIds: string[]
  /** Index of the item of each AOI. */
  aoiItems: Uint16Array
}

/** Returns a text as names are compared: without marks and in lower case. */
export function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Returns the words of a search; none for an empty one. */
export function searchWords(text: string): string[] {
  return folded(text)
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** Collects the names of a study. */
export function searchedNames({ name: study, items, aois }: Pick<Study, 'name' | 'items' | 'aois'>): SearchedNames {
  const indexes = new Map(items.map(({ id }, i) => [id, i]))
  const ofAois = new Map<string, [name: string, itemIndex: number]>()
  for (const { itemId, name } of aois) {
    const itemIndex = indexes.get(itemId)
    if (itemIndex !== undefined) ofAois.set(`${itemIndex} ${name}`, [name, itemIndex])
  }
  const all = [...items.map(({ filename }) => filename), ...[...ofAois.values()].map(([name]) => name)]
  const lines = all.map((name) => name.replace(/[\r\n]+/g, ' '))
  return {
    study: folded(study),
    names: lines.join('\n'),
    folded: lines.map(folded).join('\n'),
    itemIds: items.map(({ id }) => id),
    aoiItems: Uint16Array.from(ofAois.values(), ([, itemIndex]) => itemIndex),
  }
}

/** How well a name fits, the best first: it begins with the first word, one of its words does, or it contains it. */
export type Rank = 0 | 1 | 2

/** Returns how well a folded name fits words, all of which it must contain; null if it does not. */
export function rankOf(name: string, words: string[]): Rank | null {
  if (!words.every((word) => name.includes(word))) return null
  const at = name.indexOf(words[0])
  if (at === 0) return 0
  return /[^\p{L}\p{N}]/u.test(name[at - 1]) ? 1 : 2
}

/** A name that fits: its item, and whether it is that of an AOI. */
type FoundName = { rank: Rank; name: string; itemIndex: number; isAoi: boolean }

/**
 * Finds the names of a study that fit words: looks at the lines with the longest word alone, since most studies have
 * none.
 */
export function matchNames({ names, folded: texts, itemIds, aoiItems }: SearchedNames, words: string[]): FoundName[] {
  if (itemIds.length === 0 || !words.every((word) => texts.includes(word))) return []
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one))
  const found: FoundName[] = []
  let shown: string[] | null = null
  let line = 0
  let lineStart = 0
  for (let at = texts.indexOf(longest); at !== -1; ) {
    const start = texts.lastIndexOf('\n', at) + 1
    const next = texts.indexOf('\n', at)
    const end = next === -1 ? texts.length : next
    const rank = rankOf(texts.slice(start, end), words)
    if (rank !== null) {
      for (; lineStart < start; line++) lineStart = texts.indexOf('\n', lineStart) + 1
      shown ??= names.split('\n')
      const isAoi = line >= itemIds.length
      found.push({ rank, name: shown[line], itemIndex: isAoi ? aoiItems[line - itemIds.length] : line, isAoi })
    }
    at = next === -1 ? -1 : texts.indexOf(longest, end)
  }
  return found
}
