import { NORMAL_QUANTILES, type Random } from '../../demo/random.ts'

/** The numbers that a round drew: the same ones make the same input. */
export type Draws = number[]

/** More numbers than a round drew at first, and it is another round. */
const DRAWS_MORE = 10_000

class TooLong extends Error {}

/** Keeps what is drawn from a stream. */
export function recorded(random: Random): { random: Random; draws: Draws } {
  const draws: Draws = []
  const uint32 = () => {
    draws.push(random.uint32())
    return draws[draws.length - 1]
  }
  return { random: streamOf(uint32), draws }
}

/** Draws given numbers, then zeros. */
function replayed(given: Draws): { random: Random; draws: Draws } {
  const draws: Draws = []
  const uint32 = () => {
    if (draws.length > given.length + DRAWS_MORE) throw new TooLong()
    draws.push(given[draws.length] ?? 0)
    return draws[draws.length - 1]
  }
  return { random: streamOf(uint32), draws }
}

function streamOf(uint32: () => number): Random {
  return { uint32, uniform: () => uint32() / 2 ** 32, normal: () => NORMAL_QUANTILES[uint32() >>> 20] }
}

/**
 * Looks for a smaller input that fails, too, for so long: one that is made of fewer numbers, or of smaller ones, as
 * Hypothesis does it (MacIver and Donaldson, 2020). Every generator shrinks by this, since each makes small things of
 * small numbers.
 *
 * @returns the last failure; null where no smaller input failed
 */
export async function shrink(
  draws: Draws,
  round: (random: Random) => Promise<void>,
  ms: number,
): Promise<Error | null> {
  const until = performance.now() + ms
  let best = draws
  let failure: Error | null = null
  const isSmaller = async (candidate: Draws): Promise<boolean> => {
    const replay = replayed(candidate)
    try {
      await round(replay.random)
      return false
    } catch (error) {
      if (error instanceof TooLong || !isBefore(replay.draws, best)) return false
      best = replay.draws
      failure = error as Error
      return true
    }
  }
  const isInTime = () => performance.now() < until
  for (let size = best.length; size > 0 && isInTime(); size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && isInTime(); ) {
      const [before, after] = [best.slice(0, at), best.slice(at + size)]
      if (await isSmaller([...before, ...after])) continue
      await isSmaller([...before, ...Array<number>(Math.min(size, best.length - at)).fill(0), ...after])
      at += size
    }
  }
  for (let at = 0; at < best.length; at++)
    while (best[at] > 0 && isInTime() && (await isSmaller(best.with(at, best[at] >>> 1))));
  return failure
}

/** Says whether numbers are fewer than others, or as many and smaller. */
function isBefore(a: Draws, b: Draws): boolean {
  if (a.length !== b.length) return a.length < b.length
  const at = a.findIndex((number, i) => number !== b[i])
  return at >= 0 && a[at] < b[at]
}
