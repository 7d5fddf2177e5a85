type Numbers = Float64Array | Int32Array | Int16Array | Int8Array | Uint8Array

/** A typed array that grows; its first `length` values are in use. */
export type Growing<T extends Numbers> = { values: T; length: number }

type Kind<T> = new (length: number) => T

/**
 * Pool of released arrays, which the next shard reuses: allocating memory costs as much as filling it, and leaves
 * garbage to collect.
 */
const released = new Map<unknown, Numbers[]>()
const RELEASED_MAX = 64
const LENGTH_MAX = 1 << 18

export function growing<T extends Numbers>(Kind: Kind<T>): Growing<T> {
  return { values: new Kind(256), length: 0 }
}

/** Allocates an array with one value per row, from the pool if possible. */
export function growingAgain<T extends Numbers>(Kind: Kind<T>): Growing<T> {
  const values = released.get(Kind)?.pop() as T | undefined
  return values ? { values, length: 0 } : growing(Kind)
}

/** Returns an array to the pool, once nobody reads it any more. */
export function release({ values }: Growing<Numbers>): void {
  const others = released.get(values.constructor) ?? []
  released.set(values.constructor, others)
  if (others.length < RELEASED_MAX && values.length <= LENGTH_MAX) others.push(values)
}

/** Appends `n` values, and returns them to be filled in. */
export function grow<T extends Numbers>(array: Growing<T>, n: number): T {
  const start = array.length
  array.length += n
  if (array.length > array.values.length) {
    const larger = new (array.values.constructor as Kind<T>)(Math.max(2 * array.values.length, array.length))
    larger.set(array.values.subarray(0, start) as never)
    array.values = larger
  }
  return array.values.subarray(start, array.length) as T
}

/** Returns a view of the values in use. */
export function grownValues<T extends Numbers>({ values, length }: Growing<T>): T {
  return values.subarray(0, length) as T
}
