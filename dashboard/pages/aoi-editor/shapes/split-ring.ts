import type { XY } from './parts.ts'

/**
 * Cuts a polygon along the line through two points by the even-odd rule: the line is inside between its first and
 * second crossing, its third and fourth, and so on.
 *
 * @returns pieces on either side; none on one side if the line misses the polygon; null if the polygon crosses itself
 * there
 */
export function splitRing(corners: XY[], [ax, ay]: XY, [bx, by]: XY): [XY[][], XY[][]] | null {
  const distance = ([x, y]: XY) => (bx - ax) * (y - ay) - (by - ay) * (x - ax)
  const along = ([x, y]: XY) => (bx - ax) * (x - ax) + (by - ay) * (y - ay)
  // A corner on the line counts to its right, so that each edge either crosses or does not.
  const sides = corners.map((corner) => distance(corner) >= 0)
  const crossings = corners.flatMap((corner, i) => {
    const j = (i + 1) % corners.length
    if (sides[i] === sides[j]) return []
    const share = distance(corner) / (distance(corner) - distance(corners[j]))
    const [x, y] = corners[j]
    const at: XY = [corner[0] + share * (x - corner[0]), corner[1] + share * (y - corner[1])]
    return [{ edge: i, at }]
  })
  if (crossings.length === 0) return sides[0] ? [[], [corners]] : [[corners], []]
  const sorted = crossings.map((_, c) => c).sort((one, other) => along(crossings[one].at) - along(crossings[other].at))
  const partner = new Map(sorted.map((c, place) => [c, sorted[place ^ 1]]))
  const comesBack = (c: number) => sides[crossings[c].edge]
  if (sorted.some((c) => comesBack(c) === comesBack(partner.get(c)!))) return null
  const pieces: [XY[][], XY[][]] = [[], []]
  const walked = new Set<number>()
  for (let start = 0; start < crossings.length; start++) {
    if (walked.has(start)) continue
    const piece: XY[] = []
    let c = start
    do {
      walked.add(c)
      const next = (c + 1) % crossings.length
      piece.push(crossings[c].at, ...between(corners, crossings[c].edge, crossings[next].edge), crossings[next].at)
      c = partner.get(next)!
    } while (c !== start && !walked.has(c))
    const side = sides[(crossings[start].edge + 1) % corners.length] ? 1 : 0
    const whole = withoutDoubles(piece)
    if (whole.length >= 3) pieces[side].push(whole)
  }
  return pieces
}

/** Returns the corners after one edge up to another. */
function between(corners: XY[], from: number, to: number): XY[] {
  const n = corners.length
  const count = (to - from + n) % n || n
  return Array.from({ length: count }, (_, k) => corners[(from + 1 + k) % n])
}

function withoutDoubles(corners: XY[]): XY[] {
  return corners.filter(([x, y], i) => {
    const [bx, by] = corners[(i + 1) % corners.length]
    return Math.abs(x - bx) > 1e-9 || Math.abs(y - by) > 1e-9
  })
}
