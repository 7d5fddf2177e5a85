import type { FilterColumn, FilterType } from './columns.ts'

/** A validated condition on tests, with three-valued logic as in SQL. */
export type Condition =
  | { kind: 'and' | 'or'; conditions: Condition[] }
  | { kind: 'not'; condition: Condition }
  | { kind: 'comparison'; operator: Operator; left: Operand; right: Operand; as: FilterType }
  /** Equals any of the values, which are grouped by type. */
  | { kind: 'in'; left: Operand; values: { value: Literal; as: FilterType }[] }
  | { kind: 'like'; operand: Operand; pattern: string; as: 'id' | 'text' }
  | { kind: 'isNull'; operand: Operand }
  | { kind: 'isTrue'; operand: Operand }
  | { kind: 'hasTag'; tag: string }

export type Operator = '=' | '<>' | '<' | '<=' | '>' | '>='

export type Operand =
  | { kind: 'column'; column: FilterColumn }
  /** A text column cast to a number, if it is one. */
  | { kind: 'cast'; column: FilterColumn }
  | Literal

export type Literal =
  | { kind: 'text'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'boolean'; value: boolean }
  /** A validated RFC 3339 time. */
  | { kind: 'timestamp'; value: string }

/** Returns the type of an operand by itself; when compared with a timestamp, a text may be one, too. */
export function typeOf(operand: Operand): FilterType {
  if (operand.kind === 'column') return operand.column.type
  return operand.kind === 'cast' ? 'number' : operand.kind
}
