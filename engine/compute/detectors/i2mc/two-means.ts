/** Points to cluster, and the result: arrays of at least n, reused from call to call. */
type Clustering = {
  x: Float64Array
  y: Float64Array
  /** Cluster of each point, 0 or 1. */
  label: Uint8Array
  previous: Uint8Array
}

export function createClustering(capacity: number): Clustering {
  return {
    x: new Float64Array(capacity),
    y: new Float64Array(capacity),
    label: new Uint8Array(capacity),
    previous: new Uint8Array(capacity),
  }
}

const ITERATIONS_MAX = 100

/** Centres and sizes of the two clusters: x and y of one, then of the other. */
const centres = new Float64Array(4)
const former = new Float64Array(4)
const sizes = new Int32Array(2)
const formerSizes = new Int32Array(2)

/**
 * Divides points into two clusters by k-means: starts with k-means++ (Arthur & Vassilvitskii, 2007), moves all points
 * at once, then one by one until no move reduces the sum of squared distances. Source: `kmeans2` of I2MC_Python (MIT
 * licence, Niehorster & van Leeuwen).
 *
 * @param n number of points, at least 2
 * @param random from 0 to below 1; called twice
 * @returns whether it converged within 100 iterations; `label` then has the clusters
 */
export function clusterInTwo(clustering: Clustering, n: number, random: () => number): boolean {
  if (!start(clustering, n, random)) return true
  const iterations = moveAll(clustering, n)
  return moveOneByOne(clustering, n, iterations)
}

/** Chooses the first two centres; false if all points are equal, which leaves them in one cluster. */
function start({ x, y, label }: Clustering, n: number, random: () => number): boolean {
  const first = Math.floor(random() * n)
  let total = 0
  for (let i = 0; i < n; i++) total += squared(x[i] - x[first], y[i] - y[first])
  const drawn = random()
  let second = 0
  if (total === 0) {
    label.fill(0, 0, n)
    return false
  }
  for (let sum = 0; second < n - 1; second++) {
    sum += squared(x[second] - x[first], y[second] - y[first]) / total
    if (sum >= drawn) break
  }
  centres[0] = x[first]
  centres[1] = y[first]
  centres[2] = x[second]
  centres[3] = y[second]
  for (let i = 0; i < n; i++) label[i] = nearest(x[i], y[i])
  return true
}

/** Moves all points to the nearer centre until the sum of squared distances stops falling. */
function moveAll(clustering: Clustering, n: number): number {
  const { x, y, label, previous } = clustering
  takeMeans(clustering, n)
  let best = Number.POSITIVE_INFINITY
  for (let iterations = 1; ; iterations++) {
    if (sizes[0] === 0 || sizes[1] === 0) fillEmpty(clustering, n)
    const total = sumOfSquares(clustering, n)
    if (best <= total) {
      label.set(previous.subarray(0, n))
      centres.set(former)
      sizes.set(formerSizes)
      return iterations - 1
    }
    if (iterations === ITERATIONS_MAX) return iterations
    best = total
    previous.set(label.subarray(0, n))
    let isMoved = false
    for (let i = 0; i < n; i++) {
      const own = nearest(x[i], y[i])
      if (own !== label[i] && distance(0, x[i], y[i]) !== distance(1, x[i], y[i])) isMoved = true
    }
    if (!isMoved) return iterations
    for (let i = 0; i < n; i++) label[i] = nearest(x[i], y[i])
    former.set(centres)
    formerSizes.set(sizes)
    takeMeans(clustering, n)
  }
}

/** Moves one point at a time, always the first that reduces the sum. */
function moveOneByOne({ x, y, label }: Clustering, n: number, iterations: number): boolean {
  let last = -1
  while (iterations < ITERATIONS_MAX) {
    let moved = 0
    while (moved < n && !isBetterOff(x[moved], y[moved], label[moved])) moved++
    if (moved === n) return true
    if (moved <= last && ++iterations >= ITERATIONS_MAX) return false
    last = moved
    const from = label[moved]
    const to = 1 - from
    label[moved] = to
    sizes[to]++
    sizes[from]--
    centres[2 * to] += (x[moved] - centres[2 * to]) / sizes[to]
    centres[2 * to + 1] += (y[moved] - centres[2 * to + 1]) / sizes[to]
    centres[2 * from] -= (x[moved] - centres[2 * from]) / sizes[from]
    centres[2 * from + 1] -= (y[moved] - centres[2 * from + 1]) / sizes[from]
  }
  return false
}

/** Returns whether the sum of squared distances would fall if a point of cluster `own` moved to the other. */
function isBetterOff(x: number, y: number, own: number): boolean {
  const other = 1 - own
  if (sizes[own] === 1) return false
  const stays = (sizes[own] / (sizes[own] - 1)) * distance(own, x, y)
  const goes = (sizes[other] / (sizes[other] + 1)) * distance(other, x, y)
  return goes < stays
}

/** Moves the point that is farthest from its centre to an empty cluster. */
function fillEmpty(clustering: Clustering, n: number): void {
  const { x, y, label } = clustering
  const empty = sizes[0] === 0 ? 0 : 1
  let farthest = 0
  for (let i = 1; i < n; i++) {
    if (distance(label[i], x[i], y[i]) > distance(label[farthest], x[farthest], y[farthest])) farthest = i
  }
  label[farthest] = empty
  takeMeans(clustering, n)
}

function takeMeans({ x, y, label }: Clustering, n: number): void {
  centres.fill(0)
  sizes.fill(0)
  for (let i = 0; i < n; i++) {
    const c = label[i]
    centres[2 * c] += x[i]
    centres[2 * c + 1] += y[i]
    sizes[c]++
  }
  for (let c = 0; c < 2; c++) {
    if (sizes[c] === 0) continue
    centres[2 * c] /= sizes[c]
    centres[2 * c + 1] /= sizes[c]
  }
}

function sumOfSquares({ x, y, label }: Clustering, n: number): number {
  let sum = 0
  for (let i = 0; i < n; i++) sum += distance(label[i], x[i], y[i])
  return sum
}

function nearest(x: number, y: number): number {
  return distance(1, x, y) < distance(0, x, y) ? 1 : 0
}

function distance(c: number, x: number, y: number): number {
  return squared(x - centres[2 * c], y - centres[2 * c + 1])
}

function squared(dx: number, dy: number): number {
  return dx * dx + dy * dy
}
