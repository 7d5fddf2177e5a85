import { ServiceError } from '../../engine/model/errors.ts'

/** Returns a line for each problem of an error, as `file, line, column: value rule`. */
export function problemTexts(error: unknown): string[] {
  if (!(error instanceof ServiceError)) return []
  return error.problems.map(({ file, line, column, value, rule }) => {
    const place = [file, line === null ? null : `line ${line}`, column].filter((part) => part !== null).join(', ')
    return `  ${place}: ${value === null ? '' : `${JSON.stringify(value)} `}${rule}`
  })
}
