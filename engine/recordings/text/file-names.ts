import { compareNames } from '../../../isomorphic/natural-order.ts'

/** Compares paths folder by folder, in natural order: `run-2` comes before `run-10`. */
export function comparePaths(a: string, b: string): number {
  const [one, other] = [a.split('/'), b.split('/')]
  for (let i = 0; i < Math.min(one.length, other.length); i++) {
    const order = compareNames(one[i], other[i])
    if (order !== 0) return order
  }
  return one.length - other.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Returns the last part of a path, without extensions: a recording's participant, if its data name none. */
export function stemOf(name: string): string {
  const parts = name.slice(name.lastIndexOf('/') + 1).split('.')
  while (parts.length > 1 && /^[a-z0-9]{1,5}$/i.test(parts.at(-1)!)) parts.pop()
  return parts.join('.')
}

/** Returns the folder of a path, '' for none. */
export function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')))
}

/** Removes the leading and trailing folders that all paths share. */
export function partsThatDiffer(paths: string[][]): string[][] {
  const shortest = Math.min(...paths.map(({ length }) => length))
  let start = 0
  while (start < shortest && paths.every((parts) => parts[start] === paths[0][start])) start++
  let end = 0
  while (end < shortest - start && paths.every((parts) => parts.at(-1 - end) === paths[0].at(-1 - end))) end++
  return paths.map((parts) => parts.slice(start, parts.length - end))
}
