import { likeSql } from '../duckdb/like.ts'
import { instantKey } from '../model/instant.ts'
import type { FilterColumn, FilterType } from './columns.ts'
import { type Condition, type Operand, typeOf } from './condition.ts'

/** SQL that consists only of our own words; texts and numbers of the filter are in `values`, by parameter name. */
export type FilterSql = {
  /** Condition on rows of tests and participants, whose values `columns` names: `f_` and the column's name. */
  where: string
  columns: FilterColumn[]
  needsTags: boolean
  values: Record<string, string | number>
}

/** Generates the SQL of a condition. @param hasTags whether the participants of the study have tags */
export function filterSql(condition: Condition, hasTags: boolean): FilterSql {
  const columns = new Map<string, FilterColumn>()
  const values: Record<string, string | number> = {}
  let needsTags = false

  const bind = (value: string | number): string => {
    const name = `v${Object.keys(values).length}`
    values[name] = value
    return `CAST($${name} AS ${typeof value === 'number' ? 'DOUBLE' : 'VARCHAR'})`
  }
  const cellOf = (column: FilterColumn): string => {
    columns.set(column.name, column)
    return valueName(column)
  }

  /** Returns SQL of the value of an operand, comparable with others of the type. */
  function value(operand: Operand, as: FilterType): string {
    if (operand.kind === 'boolean') return operand.value ? 'TRUE' : 'FALSE'
    if (operand.kind === 'cast') return numberIn(cellOf(operand.column))
    if (operand.kind === 'column') {
      const own = cellOf(operand.column)
      return as === 'id' && operand.column.type === 'text' ? `lower(${own})` : own
    }
    if (as === 'timestamp') return bind(instantText(String(operand.value)))
    return as === 'id' ? `lower(${bind(operand.value)})` : bind(operand.value)
  }

  function sqlOf(part: Condition): string {
    if (part.kind === 'hasTag') {
      if (!hasTags) return 'FALSE'
      needsTags = true
      return `COALESCE(list_contains(${TAGS_VALUE}, ${bind(part.tag)}), FALSE)`
    }
    if (part.kind === 'not') return `(NOT ${sqlOf(part.condition)})`
    if (part.kind === 'comparison')
      return `(${value(part.left, part.as)} ${part.operator} ${value(part.right, part.as)})`
    if (part.kind === 'in') {
      const types = new Set(part.values.map(({ as }) => as))
      const groups = [...types].map((type) => {
        const own = part.values.filter(({ as }) => as === type).map((each) => value(each.value, type))
        return `${value(part.left, type)} IN (${own.join(', ')})`
      })
      return `(${groups.join(' OR ')})`
    }
    if (part.kind === 'like') {
      const pattern = part.as === 'id' ? part.pattern.toLowerCase() : part.pattern
      return likeSql(value(part.operand, part.as), pattern, bind)
    }
    if (part.kind === 'isNull') return `(${value(part.operand, typeOf(part.operand))} IS NULL)`
    if (part.kind === 'isTrue') return value(part.operand, 'boolean')
    return `(${part.conditions.map(sqlOf).join(part.kind === 'and' ? ' AND ' : ' OR ')})`
  }

  const where = sqlOf(condition)
  return { where, columns: [...columns.values()], needsTags, values }
}

/** Name of a participant's tags in the filtered rows. */
export const TAGS_VALUE = 'f_tags'

/** Returns the name of a column's value in the filtered rows. */
export function valueName({ name }: FilterColumn): string {
  return `f_${name}`
}

/** Returns the SQL of a column's value in a row of its own table. */
export function columnSql({ sql, type }: FilterColumn): string {
  return type === 'timestamp' ? instantSql(sql) : sql
}

/** Returns SQL that casts a text to a number if the whole text is one; otherwise NULL. */
function numberIn(text: string): string {
  return `CASE WHEN regexp_full_match(${text}, '-?[0-9]{1,15}(\\.[0-9]{1,15})?') THEN TRY_CAST(${text} AS DOUBLE) END`
}

/** Offset in s that gives the seconds of every year twelve digits. */
const SECONDS_BEFORE = 200_000_000_000

/** Returns an instant as text that sorts by time, at full precision: seconds, then the digits of the fraction. */
function instantText(time: string): string {
  const { seconds, fraction } = instantKey(time)!
  return `${seconds + SECONDS_BEFORE}${fraction}`
}

/** Returns SQL of the same text, from an RFC 3339 time that the import has validated. */
function instantSql(time: string): string {
  const part = (from: number, length: number) => `TRY_CAST(substr(${time}, ${from}, ${length}) AS INTEGER)`
  const days = `(TRY_CAST(substr(${time}, 1, 10) AS DATE) - DATE '1970-01-01')`
  const clock = `${part(12, 2)} * 3600 + ${part(15, 2)} * 60 + ${part(18, 2)}`
  const offset = `CASE substr(${time}, -6, 1) WHEN '+' THEN 1 WHEN '-' THEN -1 ELSE 0 END
    * COALESCE(${part(-5, 2)} * 3600 + ${part(-2, 2)} * 60, 0)`
  const fraction = `CASE WHEN substr(${time}, 20, 1) = '.' THEN rtrim(regexp_extract(${time}, '\\.([0-9]+)', 1), '0') ELSE '' END`
  return `CAST(${SECONDS_BEFORE} + ${days} * 86400 + ${clock} - ${offset} AS VARCHAR) || ${fraction}`
}
