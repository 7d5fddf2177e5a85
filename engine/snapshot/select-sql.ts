import { readParquet, readParquetAt } from '../duckdb/duckdb.ts'
import type { FilterColumn } from '../filter/columns.ts'
import { columnSql, type FilterSql, TAGS_VALUE, valueName } from '../filter/to-sql.ts'

/** SQL condition on rows of tests: an item, a minimum grade, and ignored participants. */
export const OF_TESTS = `quality_grade_item >= $gradeMin AND ($itemId IS NULL OR item_id = $itemId)
    AND NOT list_contains($ignored::VARCHAR[], participant_id)`

/** Rows of tests with `early_count`, of those that have samples before item onset: see `earlySamples`. */
export const WITH_EARLY = `(SELECT tests.*, coalesce(early, 0) AS early_count FROM ${readParquet()} AS tests LEFT JOIN
    (SELECT unnest($earlyFiles::INTEGER[]) AS of_file, unnest($earlyOrdinals::INTEGER[]) AS of_ordinal,
      unnest($earlyCounts::INTEGER[]) AS early) ON of_file = sample_file AND of_ordinal = test_ordinal)`

/**
 * Returns SQL that selects tests of an item, of a grade and by a filter. What a column is in the filter is computed in
 * its own table first: a study has fewer participants than tests.
 *
 * @param names columns of the table of tests, to select: `test_row`, `participant_row` and others
 */
export function selectionSql(names: string, { where, columns, needsTags }: FilterSql): string {
  const valuesOf = (table: FilterColumn['of']) =>
    columns.filter(({ of }) => of === table).map((column) => `, ${columnSql(column)} AS ${valueName(column)}`)
  const tests = `SELECT ${names}${valuesOf('test').join('')} FROM ${columns.some(({ needsEarly }) => needsEarly) ? WITH_EARLY : readParquet()}
    WHERE ${OF_TESTS}`
  const people = [...valuesOf('participant'), ...(needsTags ? [`, tags AS ${TAGS_VALUE}`] : [])].join('')
  const join = `JOIN (SELECT participant_row AS person${people} FROM ${readParquetAt('$participants')})
    ON person = participant_row`
  return `SELECT ${names} FROM (${tests}) ${people === '' ? '' : join} WHERE ${where} ORDER BY test_row`
}
