import type { Request } from 'express'
import { CSV, FORMATS, type Format, findFormat } from '../../engine/formats/formats.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { FORMAT_NAMES } from '../../engine/model/format-names.ts'
import { nearest } from '../../engine/model/parameters.ts'

/** `?format=`, or else what `Accept` likes best; CSV where neither names a format, so that any script gets what it always got. */
export function chooseFormat(query: Map<string, string[]>, req: Request, faults: Fault[]): Format {
  const values = query.get('format')
  if (values === undefined) return acceptedFormat(req.get('accept') ?? '')
  const format = findFormat(values[0])
  // Given twice is told with the other parameters.
  if (values.length === 1 && !format) {
    const rule = `must be one of ${FORMAT_NAMES.join(', ')}`
    faults.push({ parameter: 'format', rule, value: values[0], ...nearest(values[0], FORMAT_NAMES) })
  }
  return format ?? CSV
}

/** The format with the highest weight; of equal ones the one that is named and not meant by a wildcard, then CSV. */
function acceptedFormat(accept: string): Format {
  let best = { format: CSV, weight: 0, isNamed: false }
  for (const range of accept.toLowerCase().split(',')) {
    const [type, ...rest] = range.split(';').map((text) => text.trim())
    const given = rest.find((text) => text.startsWith('q='))
    const weight = given === undefined ? 1 : Number(given.slice(2))
    const named = FORMATS.find(({ mediaTypes }) => mediaTypes.includes(type))
    if (!named && type !== '*/*' && type !== 'text/*') continue
    const isBetter = weight > best.weight || (weight === best.weight && weight > 0 && named && !best.isNamed)
    if (isBetter) best = { format: named ?? CSV, weight, isNamed: named !== undefined }
  }
  return best.format
}
