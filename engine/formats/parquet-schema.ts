import type { SchemaElement } from 'hyparquet'
import type { Column, TupleField } from '../model/columns.ts'
import { isText } from './gather.ts'

/** A Parquet column that holds values (a leaf of the schema). */
export type Leaf = {
  path: string[]
  type: 'INT32' | 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'BYTE_ARRAY'
  isText: boolean
  isInteger: boolean
  isLarge: boolean
  /** Definition level at which a value is present. */
  definitionMax: number
}

/** Returns the leaves of a column: the column itself, the element of its list, or the fields of its tuples. */
export function leavesOf(column: Column): Leaf[] {
  const { name, type, nested, isLarge = false } = column
  const text = { isText: true, isInteger: false, isLarge: false, type: 'BYTE_ARRAY' as const }
  const list = [name, 'list', 'element']
  if (nested === 'texts') return [{ ...text, path: list, definitionMax: 1 }]
  if (nested) return nested.map((field) => ({ ...fieldLeaf(field), path: [...list, field.name] }))
  if (isText(column)) return [{ ...text, path: [name], definitionMax: 1 }]
  const isInteger = type === 'int'
  const physical = type === 'boolean' ? 'BOOLEAN' : isInteger ? (isLarge ? 'INT64' : 'INT32') : 'DOUBLE'
  return [{ path: [name], type: physical, isText: false, isInteger, isLarge, definitionMax: 1 }]
}

function fieldLeaf({ type }: TupleField): Omit<Leaf, 'path'> {
  const physical = type === 'boolean' ? 'BOOLEAN' : 'DOUBLE'
  return { type: physical, isText: false, isInteger: false, isLarge: false, definitionMax: 2 }
}

/** Returns the schema as Parquet stores it: a tree in depth-first order, root first. */
export function parquetSchema(columns: Column[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)]
}

function elementsOf(column: Column): SchemaElement[] {
  const { name, nested } = column
  if (!nested) return [valueElement(name, leavesOf(column)[0], 'OPTIONAL')]
  const list: SchemaElement[] = [
    { name, repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ]
  if (nested === 'texts') return [...list, valueElement('element', leavesOf(column)[0], 'REQUIRED')]
  const fields = leavesOf(column).map((leaf, f) => valueElement(nested[f].name, leaf, 'OPTIONAL'))
  return [...list, { name: 'element', repetition_type: 'REQUIRED', num_children: nested.length }, ...fields]
}

function valueElement(name: string, { type, isText }: Leaf, repetition: 'OPTIONAL' | 'REQUIRED'): SchemaElement {
  const text = { converted_type: 'UTF8' as const, logical_type: { type: 'STRING' as const } }
  return { name, type, repetition_type: repetition, ...(isText ? text : {}) }
}
