/** A typed array that grows: the first `length` of `values` count. */
export type Growing<T extends Float64Array | Int32Array | Uint8Array> = { values: T; length: number }

type Kind<T> = new (length: number) => T

export function growing<T extends Float64Array | Int32Array | Uint8Array>(Kind: Kind<T>): Growing<T> {
  return { values: new Kind(256), length: 0 }
}

/** Appends `n` values, and returns them to be filled. */
export function grow<T extends Float64Array | Int32Array | Uint8Array>(array: Growing<T>, n: number): T {
  const start = array.length
  array.length += n
  if (array.length > array.values.length) {
    const larger = new (array.values.constructor as Kind<T>)(Math.max(2 * array.values.length, array.length))
    larger.set(array.values.subarray(0, start) as never)
    array.values = larger
  }
  return array.values.subarray(start, array.length) as T
}

/** Returns the values in use, as a view. */
export function valuesOf<T extends Float64Array | Int32Array | Uint8Array>({ values, length }: Growing<T>): T {
  return values.subarray(0, length) as T
}
