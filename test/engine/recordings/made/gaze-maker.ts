import { seeded } from '../../../../isomorphic/random.ts'

/** Positions in px of a screen, sample by sample. */
export type Path = { x: number[]; y: number[] }

export type Random = { uniform: (low: number, high: number) => number; normal: (sd: number) => number }

export function randomOf(seed: number): Random {
  const next = seeded(seed)
  return {
    uniform: (low, high) => low + (high - low) * next(),
    normal: (sd) => sd * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  }
}

type Screen = { widthPx: number; heightPx: number }

type Place = { x: number; y: number }

/** Makes the path of gaze without noise over a picture. */
export function makeScanpath(tMs: number[], { widthPx, heightPx }: Screen, random: Random): Path {
  return fixating(tMs, random, () => ({
    x: clamp(widthPx / 2 + random.normal(widthPx / 5), 20, widthPx - 20),
    y: clamp(heightPx / 2 + random.normal(heightPx / 5), 20, heightPx - 20),
  }))
}

/** Makes the path of gaze without noise along lines of text. */
export function makeReading(tMs: number[], { widthPx, heightPx }: Screen, random: Random): Path {
  let [x, y] = [0.2 * widthPx, 0.2 * heightPx]
  return fixating(tMs, random, () => {
    x += random.uniform(60, 170)
    if (x > 0.8 * widthPx) [x, y] = [0.2 * widthPx, y > 0.8 * heightPx ? 0.2 * heightPx : y + 60]
    return { x, y: y + random.normal(6) }
  })
}

/** Moves from place to place: fixations of 150 to 500 ms, and saccades of 20 to 70 ms between them. */
function fixating(tMs: number[], random: Random, place: () => Place): Path {
  let [from, to] = [place(), place()]
  let leaves = tMs[0] + random.uniform(100, 400)
  let arrives = leaves + saccadeMs(from, to)
  const path: Path = { x: [], y: [] }
  for (const t of tMs) {
    while (t >= arrives) {
      from = to
      to = place()
      leaves = arrives + random.uniform(150, 500)
      arrives = leaves + saccadeMs(from, to)
    }
    const share = t <= leaves ? 0 : smooth((t - leaves) / (arrives - leaves))
    path.x.push(from.x + share * (to.x - from.x))
    path.y.push(from.y + share * (to.y - from.y))
  }
  return path
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))
const saccadeMs = (a: Place, b: Place) => 20 + Math.hypot(a.x - b.x, a.y - b.y) / 20
/** Position along a movement of least jerk. */
const smooth = (t: number) => t ** 3 * (10 - 15 * t + 6 * t * t)

/** Adds the offset and the noise of an eye. */
export function seenBy({ x, y }: Path, offsetPx: [number, number], noisePx: number, random: Random): Path {
  return {
    x: x.map((value) => value + offsetPx[0] + random.normal(noisePx)),
    y: y.map((value) => value + offsetPx[1] + random.normal(noisePx)),
  }
}

/** Makes blinks of 80 to 250 ms, every 2 to 6 s: true where the eye is shut. */
export function makeBlinks(tMs: number[], random: Random): boolean[] {
  let begins = tMs[0] + random.uniform(300, 4000)
  let ends = begins + random.uniform(80, 250)
  return tMs.map((t) => {
    if (t > ends) {
      begins = ends + random.uniform(2000, 6000)
      ends = begins + random.uniform(80, 250)
    }
    return t >= begins && t <= ends
  })
}

/** Makes a target that keeps still for 0.8 to 2 s, and jumps. */
export function makeTarget(tMs: number[], { widthPx, heightPx }: Screen, random: Random): Path {
  const path: Path = { x: [], y: [] }
  let [x, y, jumps] = [0, 0, Number.NEGATIVE_INFINITY]
  for (const t of tMs) {
    if (t >= jumps) {
      x = Math.round(random.uniform(0.1, 0.9) * widthPx)
      y = Math.round(random.uniform(0.1, 0.9) * heightPx)
      jumps = t + random.uniform(800, 2000)
    }
    path.x.push(x)
    path.y.push(y)
  }
  return path
}

/** Makes a mouse that rests for 1 to 3 s, and moves for half a second, in whole px. */
export function makeMouse(tMs: number[], { widthPx, heightPx }: Screen, random: Random): Path {
  const place = () => ({ x: random.uniform(50, widthPx - 50), y: random.uniform(50, heightPx - 50) })
  let [from, to] = [place(), place()]
  let leaves = tMs[0] + random.uniform(500, 1500)
  const path: Path = { x: [], y: [] }
  for (const t of tMs) {
    if (t > leaves + 500) {
      from = to
      to = place()
      leaves = t + random.uniform(1000, 3000)
    }
    const share = t <= leaves ? 0 : smooth((t - leaves) / 500)
    path.x.push(Math.round(from.x + share * (to.x - from.x)))
    path.y.push(Math.round(from.y + share * (to.y - from.y)))
  }
  return path
}

/** Makes something that sways, as a head before a tracker does: two slow waves around a middle. */
export function makeSway(tMs: number[], middle: [number, number], reach: number, random: Random): Path {
  const axis = (centre: number) => {
    const [p, q] = [random.uniform(0, 6), random.uniform(0, 6)]
    return tMs.map(
      (t) => centre + reach * (Math.sin(t / 2100 + p) + 0.5 * Math.sin(t / 830 + q)) + random.normal(reach / 200),
    )
  }
  return { x: axis(middle[0]), y: axis(middle[1]) }
}

/** Makes a pupil that widens and narrows, in mm. */
export function makePupil(tMs: number[], random: Random): number[] {
  const phase = random.uniform(0, 6)
  return tMs.map((t) => 3.4 + 0.4 * Math.sin(t / 1700 + phase) + random.normal(0.01))
}
