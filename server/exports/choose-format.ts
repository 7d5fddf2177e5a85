import type { Request } from 'express'
import { CSV, FORMATS, type Format, findFormat } from '../../engine/formats/formats.ts'
import type { Fault } from '../../engine/model/errors.ts'
import { FORMAT_NAMES } from '../../engine/model/format-names.ts'
import { nearest } from '../../engine/model/parameters.ts'

/**
 * Chooses the format: `?format=`, otherwise the best of `Accept`; CSV if neither names one, so that every script gets
 * what it always got.
 */
export function chooseFormat(query: Map<string, string[]>, req: Request, faults: Fault[]): Format {
  const values = query.get('format')
  if (values === undefined) return acceptedFormat(req)
  const format = findFormat(values[0])
  // Given twice is told with the other parameters.
  if (values.length === 1 && !format) {
    const rule = `must be one of ${FORMAT_NAMES.join(', ')}`
    faults.push({ parameter: 'format', rule, value: values[0], ...nearest(values[0], FORMAT_NAMES) })
  }
  return format ?? CSV
}

/** Returns the acceptable format that the client prefers; of equal ones, one that it names, then CSV. */
function acceptedFormat(req: Request): Format {
  const type = req.accepts(FORMATS.flatMap(({ mediaTypes }) => mediaTypes))
  return FORMATS.find(({ mediaTypes }) => mediaTypes.includes(String(type))) ?? CSV
}
