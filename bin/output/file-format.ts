import { FORMATS } from '../../engine/formats/formats.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import { isAddress } from './object-addresses.ts'

/**
 * Returns the format of a file: the given one, else that of the ending of its name; CSV without an ending, and for
 * standard output.
 *
 * @throws ServiceError usage if the ending belongs to another format, or to none and no format is given
 */
export function fileFormat(given: FormatName | undefined, output = ''): FormatName {
  const name = (isAddress(output) ? output.replace(/\?.*$/s, '') : output).toLowerCase()
  // The longest one: a name may end in .semicolon.csv.
  const meant = FORMATS.filter(({ extension }) => name.endsWith(`.${extension}`)).sort(
    (a, b) => b.extension.length - a.extension.length,
  )[0]?.name
  if (given === undefined) {
    if (meant === undefined && /\.[a-z][a-z\d]*$/.test(name)) throw new ServiceError('usage', unknownEnding(output))
    return meant ?? 'csv'
  }
  if (meant === undefined || meant === given || (meant === 'csv' && given === 'csv-semicolon')) return given
  throw new ServiceError(
    'usage',
    `${output} would hold ${given}, but its name ends as that of ${meant}: change the name or --format`,
  )
}

function unknownEnding(output: string): string {
  const endings = FORMATS.map(({ extension }) => `.${extension}`).join(', ')
  return `the ending of ${output} names no format: end it in one of ${endings}, or add --format`
}
