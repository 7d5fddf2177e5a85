import type { z } from 'zod'
import type { Fault } from '../../engine/model/errors.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { queryOf, refuseUnknown, single } from '../http/query.ts'

/** Plain JSON in the OpenAPI document. */
export type Json = { [key: string]: unknown }

/** A parameter as the document describes it. */
export type Parameter<Name extends string = string> = {
  name: Name
  in: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  schema: z.ZodType | Json
  /** True for a list: its values are separated by commas. */
  explode?: false
}

/** A query parameter that is validated before its route answers. */
export type Checked<Name extends string = string, T = unknown> = Parameter<Name> & {
  /** Parses a value; null if it breaks the rule. */
  read: (value: string, snapshot: Snapshot | undefined) => T | null
  rule: string
  /** Default value. */
  otherwise: T
}

/** The values of checked parameters, by name. */
export type ParameterValues<List extends readonly Checked[]> = {
  [P in List[number] as P['name']]: P extends Checked<string, infer T> ? T : never
}

/**
 * Parses the query of a request.
 *
 * @param snapshot of the study that the path names
 * @throws ProblemError invalid_param, with all faults at once
 */
export function readQuery(list: readonly Checked[], url: string, snapshot?: Snapshot): Record<string, unknown> {
  const query = queryOf(url)
  const faults: Fault[] = []
  const values = readValues(list, query, faults, snapshot)
  const names = list.map(({ name }) => name)
  refuseUnknown(query, names, faults)
  return values
}

/** Parses values of a query, and appends what is wrong with them to `faults`. */
export function readValues<const List extends readonly Checked[]>(
  list: List,
  query: Map<string, string[]>,
  faults: Fault[],
  snapshot?: Snapshot,
): ParameterValues<List> {
  const values = list.map((parameter) => {
    const { name, rule, read, otherwise } = parameter
    const text = single(query, name, faults)
    const value = text === undefined ? otherwise : read(text, snapshot)
    if (value === null) faults.push({ parameter: name, rule, value: text ?? '' })
    return [name, value]
  })
  return Object.fromEntries(values)
}
