/** A struct of arrays: the kind of each column, by its name. The type of its columns follows from it. */
type Struct = Record<string, Float64ArrayConstructor | Int32ArrayConstructor | Uint8ArrayConstructor>

/** Columns of a struct of arrays, of equal length. */
export type ColumnsOf<S extends Struct> = { [Name in keyof S]: S[Name]['prototype'] }

/** Makes the columns of a struct of arrays, of length n, filled with 0. */
export function sized<S extends Struct>(struct: S, n: number): ColumnsOf<S> {
  return Object.fromEntries(Object.entries(struct).map(([name, Kind]) => [name, new Kind(n)])) as ColumnsOf<S>
}
