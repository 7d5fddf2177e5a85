/**
 * Moving median over time (step 6 of SPEC section 5): point i becomes the median of all points j with
 * 2·|t_j − t_i| ≤ range. A sorted window slides along: one insertion for each point that enters, one removal for each
 * that leaves. An even count takes the mean of the middle two.
 *
 * @param tUs ascending, whole µs
 * @param values same length; not changed
 * @param start, end the segment: windows do not reach beyond it
 * @param rangeUs R, in µs
 * @param out overwritten from start to end
 */
export function movingMedian(
  tUs: Float64Array,
  values: Float64Array,
  start: number,
  end: number,
  rangeUs: number,
  out: Float64Array,
): void {
  const window = windowOf(end - start)
  let count = 0
  let first = start
  let next = start
  for (let i = start; i < end; i++) {
    const t = tUs[i]
    while (2 * (t - tUs[first]) > rangeUs) {
      const value = values[first++]
      // One leaves and the next may enter: everything above the gap moves down.
      let k = 0
      while (window[k] !== value) k++
      for (count--; k < count; k++) window[k] = window[k + 1]
    }
    while (next < end && 2 * (tUs[next] - t) <= rangeUs) {
      const value = values[next++]
      let k = count++
      for (; k > 0 && window[k - 1] > value; k--) window[k] = window[k - 1]
      window[k] = value
    }
    const middle = count >> 1
    out[i] = count % 2 === 1 ? window[middle] : (window[middle - 1] + window[middle]) / 2
  }
}

let scratch = new Float64Array(1024)

/** A window can hold a whole segment, if that is short in time. */
function windowOf(length: number): Float64Array {
  if (scratch.length < length) scratch = new Float64Array(2 * length)
  return scratch
}
