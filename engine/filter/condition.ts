import type { FilterColumn, FilterType } from './columns.ts'

/** A condition on tests, checked: three-valued, as in SQL. */
export type Condition =
  | { kind: 'and' | 'or'; conditions: Condition[] }
  | { kind: 'not'; condition: Condition }
  | { kind: 'comparison'; operator: Operator; left: Operand; right: Operand; as: FilterType }
  /** Any of the values, those of each type by themselves. */
  | { kind: 'in'; left: Operand; values: { value: Literal; as: FilterType }[] }
  | { kind: 'like'; operand: Operand; pattern: string; as: 'id' | 'text' }
  | { kind: 'isNull'; operand: Operand }
  | { kind: 'isTrue'; operand: Operand }
  | { kind: 'hasTag'; tag: string }

export type Operator = '=' | '<>' | '<' | '<=' | '>' | '>='

export type Operand =
  | { kind: 'column'; column: FilterColumn }
  /** The number that a text column has, if it has one. */
  | { kind: 'cast'; column: FilterColumn }
  | Literal

export type Literal =
  | { kind: 'text'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'boolean'; value: boolean }
  /** An RFC 3339 time, checked. */
  | { kind: 'timestamp'; value: string }

/** Returns the type of an operand by itself; beside a timestamp, a text may be one, too. */
export function typeOf(operand: Operand): FilterType {
  if (operand.kind === 'column') return operand.column.type
  return operand.kind === 'cast' ? 'number' : operand.kind
}
