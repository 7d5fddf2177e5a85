import type { Cells, Rows, TupleCells } from './columns.ts'

/** Copies some rows, in the order of their indexes. */
export function pickRows({ cells }: Rows, indexes: Int32Array): Rows {
  return { n: indexes.length, cells: cells.map((each) => pickCells(each, indexes)) }
}

function pickCells(cells: Cells, rows: Int32Array): Cells {
  if (cells.kind === 'same') return cells
  if (cells.kind === 'texts' || cells.kind === 'patterns')
    return { ...cells, indexes: rows.map((i) => cells.indexes[i]) }
  if (cells.kind === 'lists' || cells.kind === 'tuples') {
    const { ends, elements } = elementsOf(cells.ends, rows)
    if (cells.kind === 'tuples') return { ...cells, ends, fields: pickFields(cells.fields, elements) }
    return { ...cells, ends, indexes: elements.map((e) => cells.indexes[e]) }
  }
  if (cells.kind === 'flags') return { ...cells, values: Uint8Array.from(rows, (i) => cells.values[i]) }
  if (cells.kind === 'wholes') return { ...cells, values: Float64Array.from(rows, (i) => cells.values[i]) }
  return { ...cells, values: Float64Array.from(rows, (i) => cells.values[i]) }
}

/** Copies the tuples with a time, in µs, that is asked for; every row stays. */
export function pickTuples(cells: Cells & { kind: 'tuples' }, isWanted: (tUs: number) => boolean): Cells {
  const times = cells.fields.find(({ kind }) => kind === 'exactMs')!.values
  const elements: number[] = []
  let e = 0
  const ends = cells.ends.map((end) => {
    for (; e < end; e++) if (isWanted(times[e])) elements.push(e)
    return elements.length
  })
  return { ...cells, ends, fields: pickFields(cells.fields, Int32Array.from(elements)) }
}

/** Returns the indexes of the elements of some rows, and their ends. */
function elementsOf(ends: Int32Array, rows: Int32Array): { ends: Int32Array; elements: Int32Array } {
  const elements: number[] = []
  const own = rows.map((i) => {
    for (let e = i === 0 ? 0 : ends[i - 1]; e < ends[i]; e++) elements.push(e)
    return elements.length
  })
  return { ends: own, elements: Int32Array.from(elements) }
}

function pickFields(fields: TupleCells[], elements: Int32Array): TupleCells[] {
  return fields.map(
    (field): TupleCells =>
      field.kind === 'marks'
        ? { ...field, values: Uint8Array.from(elements, (e) => field.values[e]) }
        : { ...field, values: Float64Array.from(elements, (e) => field.values[e]) },
  )
}
