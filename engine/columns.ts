/** Values of one field of many rows. */
export type Column =
  /** Whole numbers, none of them null, take as few bytes as the largest needs. NaN for null. */
  | { kind: 'number'; values: Numbers }
  | { kind: 'boolean'; values: Uint8Array }
  /** UTF-8; text i ends at ends[i], and begins where the one before ends. */
  | { kind: 'text'; ends: Uint32Array; bytes: Uint8Array }
  /** leftPx, topPx, widthPx and heightPx of each; NaN for null. */
  | { kind: 'rectangle'; values: Float64Array }

export type Kind = Column['kind']
export type Numbers = Float64Array | Int32Array | Uint16Array | Uint8Array
export type Columns = Record<string, Column>

export type Rectangle = { leftPx: number; topPx: number; widthPx: number; heightPx: number }

/** Reads the value of a row. */
export type Reader = (row: number) => unknown

export function lengthOf(column: Column): number {
  if (column.kind === 'text') return column.ends.length
  return column.kind === 'rectangle' ? column.values.length / 4 : column.values.length
}

/** @param values of that kind, null where there is none */
export function columnOf(kind: Kind, values: unknown[]): Column {
  const n = values.length
  if (kind === 'text') return textColumn(values as string[])
  if (kind === 'boolean') {
    const column = new Uint8Array(n)
    for (let i = 0; i < n; i++) column[i] = values[i] ? 1 : 0
    return { kind, values: column }
  }
  if (kind === 'number') {
    const column = arrayFor(values as (number | null)[])
    for (let i = 0; i < n; i++) column[i] = (values[i] as number | null) ?? Number.NaN
    return { kind, values: column }
  }
  const column = new Float64Array(4 * n)
  for (let i = 0; i < n; i++) {
    const rectangle = values[i] as Rectangle | null
    column[4 * i] = rectangle?.leftPx ?? Number.NaN
    column[4 * i + 1] = rectangle?.topPx ?? Number.NaN
    column[4 * i + 2] = rectangle?.widthPx ?? Number.NaN
    column[4 * i + 3] = rectangle?.heightPx ?? Number.NaN
  }
  return { kind, values: column }
}

/** An array of the narrowest kind that holds all of them as they are. */
function arrayFor(values: (number | null)[]): Numbers {
  let least = 0
  let greatest = 0
  for (const value of values) {
    if (!Object.is(value, value! | 0)) return new Float64Array(values.length)
    if (value! < least) least = value!
    if (value! > greatest) greatest = value!
  }
  if (least < 0 || greatest > 0xffff) return new Int32Array(values.length)
  return greatest > 0xff ? new Uint16Array(values.length) : new Uint8Array(values.length)
}

function textColumn(texts: string[]): Column {
  const ends = new Uint32Array(texts.length)
  let byteCount = 0
  for (let i = 0; i < texts.length; i++) {
    byteCount += Buffer.byteLength(texts[i])
    ends[i] = byteCount
  }
  const bytes = Buffer.allocUnsafeSlow(byteCount)
  for (let i = 0; i < texts.length; i++) bytes.write(texts[i], i === 0 ? 0 : ends[i - 1])
  return { kind: 'text', ends, bytes: new Uint8Array(bytes.buffer) }
}

export function readerOf(column: Column): Reader {
  if (column.kind === 'text') {
    const { ends, bytes } = column
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return (row) => {
      const start = row === 0 ? 0 : ends[row - 1]
      return ends[row] === start ? '' : text.toString('utf8', start, ends[row])
    }
  }
  const { values } = column
  if (column.kind === 'boolean') return (row) => values[row] === 1
  if (column.kind === 'number') return (row) => (Number.isNaN(values[row]) ? null : values[row])
  return (row) => {
    const [leftPx, topPx, widthPx, heightPx] = values.subarray(4 * row, 4 * row + 4)
    return Number.isNaN(leftPx) ? null : ({ leftPx, topPx, widthPx, heightPx } satisfies Rectangle)
  }
}
