import type { Request } from 'express'
import { type ExportFormat, FORMATS, findFormat } from '../../engine/formats/formats.ts'
import type { Fault } from '../../engine/model/errors.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import { nearest } from '../../engine/model/nearest.ts'

/**
 * Negotiates the format of a file: CSV if neither `?format=` nor `Accept` names one, so old scripts get what they
 * always got.
 */
export function chooseFormat(
  query: Map<string, string[]>,
  req: Pick<Request, 'accepts'>,
  faults: Fault[],
): ExportFormat {
  return findFormat(chooseName(query, req, faults, FILE_TYPES))!
}

/**
 * Negotiates one of several formats: `?format=`, otherwise the best match of `Accept`. At equal weights, a named format
 * wins over a wildcard, then the first.
 *
 * @param types the media types of each format
 */
export function chooseName<Name extends string>(
  query: Map<string, string[]>,
  req: Pick<Request, 'accepts'>,
  faults: Fault[],
  types: Record<Name, readonly string[]>,
): Name {
  const names = Object.keys(types) as Name[]
  const values = query.get('format')
  if (values === undefined) {
    const type = req.accepts(names.flatMap((name) => types[name]))
    return names.find((name) => types[name].includes(String(type))) ?? names[0]
  }
  const found = names.find((name) => name === values[0])
  // A parameter given twice is reported with the other parameters.
  if (values.length === 1 && found === undefined) {
    const rule = `must be one of ${names.join(', ')}`
    faults.push({ parameter: 'format', rule, value: values[0], ...nearest(values[0], names) })
  }
  return found ?? names[0]
}

/** Media types of each file format. */
export const FILE_TYPES = Object.fromEntries(
  FORMATS.map(({ name, mediaTypes }): [string, string[]] => [name, mediaTypes]),
) as { [Name in FormatName]: string[] }
