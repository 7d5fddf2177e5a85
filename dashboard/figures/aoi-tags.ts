/** Places the numbers of AOIs on a picture; all lengths in px. */

export type Point = [x: number, y: number]
/** Part of an AOI, by its corners. */
export type TagPart = { aoi: number; corners: Point[] }

export const TAG_WIDTH = 24
export const TAG_HEIGHT = 17

/** Costs of a place: overlaps outweigh the rest; lying on another AOI outweighs the distance from the top left. */
const COST = { overlaps: 1000, onOther: 100, juts: 10 }
const TRIED_EACH_WAY = 12

/**
 * Places a number on each part: inside it, at its top left if that is free, clear of other numbers and other AOIs if
 * there is room.
 *
 * @returns top left corner of each part's tag
 */
export function placeTags(parts: TagPart[], width: number, height: number): Point[] {
  const placed: Point[] = []
  for (const part of parts) {
    const others = parts.filter(({ aoi }) => aoi !== part.aoi)
    const costOf = (tag: Point, order: number) => {
      const overlaps = placed.some(([x, y]) => Math.abs(x - tag[0]) < TAG_WIDTH && Math.abs(y - tag[1]) < TAG_HEIGHT)
      const isOnOther = others.some(({ corners }) => isInPolygon(corners, tagCenter(tag)))
      const jutting = tagCorners(tag).filter((corner) => !isInPolygon(part.corners, corner)).length
      return (overlaps ? COST.overlaps : 0) + (isOnOther ? COST.onOther : 0) + jutting * COST.juts + order
    }
    const tried = candidates(part.corners).map(
      ([x, y]): Point => [clamp(x, width - TAG_WIDTH), clamp(y, height - TAG_HEIGHT)],
    )
    let best = tried[0]
    let least = Number.POSITIVE_INFINITY
    for (const [i, tag] of tried.entries()) {
      const cost = costOf(tag, i / 1000)
      if (cost < least) {
        least = cost
        best = tag
      }
    }
    placed.push(best)
  }
  return placed
}

/** Returns tags whose middle lies within the corners, from the top left on; at least one. */
function candidates(corners: Point[]): Point[] {
  const [left, right] = [Math.min(...corners.map(([x]) => x)), Math.max(...corners.map(([x]) => x))]
  const [top, bottom] = [Math.min(...corners.map(([, y]) => y)), Math.max(...corners.map(([, y]) => y))]
  const found: Point[] = []
  const inset = (from: number, to: number, size: number, i: number): number => {
    const first = to - from > size ? from + size / 2 : (from + to) / 2
    const last = to - from > size ? to - size / 2 : first
    return first + ((last - first) * i) / (TRIED_EACH_WAY - 1)
  }
  for (let j = 0; j < TRIED_EACH_WAY; j++) {
    for (let i = 0; i < TRIED_EACH_WAY; i++) {
      const middle: Point = [inset(left, right, TAG_WIDTH, i), inset(top, bottom, TAG_HEIGHT, j)]
      // Slightly inside, so that the part's own corner counts as inside.
      if (isInPolygon(corners, middle))
        found.push([middle[0] - TAG_WIDTH / 2 + 0.01, middle[1] - TAG_HEIGHT / 2 + 0.01])
    }
  }
  const [x, y] = corners[0]
  return found.length > 0 ? found : [[x - TAG_WIDTH / 2, y - TAG_HEIGHT / 2]]
}

export function tagCenter([x, y]: Point): Point {
  return [x + TAG_WIDTH / 2, y + TAG_HEIGHT / 2]
}

function tagCorners([x, y]: Point): Point[] {
  const [right, bottom] = [x + TAG_WIDTH - 0.02, y + TAG_HEIGHT - 0.02]
  return [
    [x, y],
    [right, y],
    [right, bottom],
    [x, bottom],
  ]
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, value))
}

/** Tests whether a point is within a polygon by the even-odd rule. */
export function isInPolygon(corners: Point[], [x, y]: Point): boolean {
  let inside = false
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const [xi, yi] = corners[i]
    const [xj, yj] = corners[j]
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside
  }
  return inside
}

/**
 * Moves overlapping dots apart, towards the middle of the width, so that each number is readable.
 *
 * @param apartPx minimum distance between centres
 */
export function spreadDots(centers: Point[], apartPx: number, width: number): Point[] {
  const placed: Point[] = []
  for (const [x, y] of centers) {
    const isTaken = (at: number) => placed.some(([px, py]) => Math.hypot(px - at, py - y) < apartPx)
    const step = x > width / 2 ? -apartPx : apartPx
    let at = x
    while (isTaken(at)) at += step
    placed.push([at, y])
  }
  return placed
}
