import type { Problem } from '../../../core/api.ts'

/** Returns the faults of a problem, by index of the AOI; `-1` for all. */
export function faultsOf(problem: Problem | null): Map<number, string[]> {
  const found = new Map<number, string[]>()
  for (const { parameter, rule } of problem?.errors ?? []) {
    const [, place, rest] = /^aois\[(\d+)\]\.?(.*)$/.exec(parameter) ?? [null, '-1', parameter]
    const at = Number(place)
    found.set(at, [...(found.get(at) ?? []), `${wordsOf(rest)} ${rule}.`])
  }
  return found
}

function wordsOf(path: string): string {
  const [, part, rest] = /^parts\[(\d+)\]\.?(.*)$/.exec(path) ?? [null, null, path]
  const what = { areaPoints: 'its area', timeRange: 'its time', name: 'New name' }[rest] ?? rest
  return part === null ? what : `Part ${Number(part) + 1}: ${what}`
}
