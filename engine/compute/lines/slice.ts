import { chainStarts, meanOf, nearestTo, type WordPlaces } from './text-lines.ts'

/** Limits of a run's distance to a line and to the next one, in distances between lines: published for 64 px. */
const SAME_MAX = 0.5
const NEXT_MAX = 1.40625

/** A line in the making: its fixations and, without any, where it would be. */
type ProtoLine = { own: number[]; phantom: { x: number; y: number } | null }

/**
 * Assigns fixations to lines by runs that grow to lines up and down from the longest (Glandorf and Schroeder, 2021):
 * docs/reading.md, "Fixations on lines".
 */
export function sliceLines(fixations: WordPlaces, lineCount: number, spacing: number): Int32Array {
  const starts = chainStarts(fixations, spacing)
  let runs = starts.slice(0, -1).map((start, r) => Array.from({ length: starts[r + 1] - start }, (_, k) => start + k))
  const widthOf = (run: number[]) => fixations.x[run[run.length - 1]] - fixations.x[run[0]]
  const longest = runs.reduce((best, run) => (widthOf(run) > widthOf(best) ? run : best))
  runs = runs.filter((run) => run !== longest)
  const protos = new Map<number, ProtoLine>([[0, { own: [...longest], phantom: null }]])
  for (let hasMerged = true; hasMerged && runs.length > 0; ) {
    const before = runs.length
    for (const [at, direction] of [
      [Math.min(...protos.keys()), -1],
      [Math.max(...protos.keys()), 1],
    ])
      runs = growFrom(protos, at, direction, runs, fixations, spacing)
    hasMerged = runs.length < before
  }
  for (const run of runs) nearestProto(protos, run, fixations).own.push(...run)
  prune(protos, lineCount)
  const lines = new Int32Array(fixations.x.length)
  const inOrder = [...protos].sort(([a], [b]) => a - b)
  for (const [line, [, { own }]] of inOrder.entries()) for (const f of own) lines[f] = line
  return lines
}

/**
 * Begins the line beside the outermost one, and adds the runs that belong to either.
 *
 * @param direction −1 for the line above, 1 for the line below
 * @returns the other runs
 */
function growFrom(
  protos: Map<number, ProtoLine>,
  at: number,
  direction: number,
  runs: number[][],
  fixations: WordPlaces,
  spacing: number,
): number[][] {
  const current = protos.get(at)!
  const next: ProtoLine = { own: [], phantom: null }
  protos.set(at + direction, next)
  const points = pointsOf(current, fixations)
  const distances = runs.map((run) => distanceTo(points, run, fixations))
  const isSame = (r: number) => Math.abs(distances[r]) < SAME_MAX * spacing
  const isNext = (r: number) =>
    distances[r] * direction >= SAME_MAX * spacing && distances[r] * direction < NEXT_MAX * spacing
  for (const [r, run] of runs.entries()) if (isSame(r)) current.own.push(...run)
  for (const [r, run] of runs.entries()) if (isNext(r)) next.own.push(...run)
  if (next.own.length === 0) next.phantom = { x: meanOf(points.x), y: meanOf(points.y) + spacing * direction }
  return runs.filter((_, r) => !isSame(r) && !isNext(r))
}

type Points = { x: number[]; y: number[] }

function pointsOf({ own, phantom }: ProtoLine, { x, y }: WordPlaces): Points {
  if (own.length === 0 && phantom !== null) return { x: [phantom.x], y: [phantom.y] }
  return { x: own.map((f) => x[f]), y: own.map((f) => y[f]) }
}

/** Returns how far a run is below points, in the mean over its fixations, each compared with the nearest along x. */
function distanceTo(points: Points, run: number[], { x, y }: WordPlaces): number {
  return meanOf(run.map((f) => y[f] - points.y[nearestTo(points.x, x[f])]))
}

function nearestProto(protos: Map<number, ProtoLine>, run: number[], fixations: WordPlaces): ProtoLine {
  let [nearest, least]: [ProtoLine | null, number] = [null, Number.POSITIVE_INFINITY]
  for (const proto of protos.values()) {
    const distance = Math.abs(distanceTo(pointsOf(proto, fixations), run, fixations))
    if (distance < least) [nearest, least] = [proto, distance]
  }
  return nearest!
}

/** Joins the outermost line with fewer fixations to its neighbour, the lowest of equals, until there are so many. */
function prune(protos: Map<number, ProtoLine>, lineCount: number): void {
  while (protos.size > lineCount) {
    const [top, bottom] = [Math.min(...protos.keys()), Math.max(...protos.keys())]
    const isTop = protos.get(top)!.own.length < protos.get(bottom)!.own.length
    const [from, into] = isTop ? [top, top + 1] : [bottom, bottom - 1]
    protos.get(into)!.own.push(...protos.get(from)!.own)
    protos.delete(from)
  }
}
