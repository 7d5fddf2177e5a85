import { createHash } from 'node:crypto'
import { ServiceError } from './errors.ts'
import type { FormatName } from './formats/formats.ts'
import type { Parameters } from './params.ts'
import { type ExportName, findExport, planParameters } from './registry.ts'
import type { Snapshot } from './study.ts'
import { VERSION } from './version.ts'

/**
 * One request for an export: plain JSON that is logged, hashed, queued and compared. It holds all that bears on the bytes
 * and nothing else, so that equal plans give equal files (SPEC section 1).
 */
export type Plan = {
  export: ExportName
  /** Lower-case UUID. */
  studyId: string
  snapshotId: string
  /** Only those that bear on this export, or that its notes echo, with defaults filled in. */
  parameters: Partial<Parameters>
  /** Gazette's version. */
  version: string
  formulaGuard: boolean
  /** Only where it is not CSV. */
  format?: Exclude<FormatName, 'csv'>
}

/** A request asks for its plan's id again and again, and no plan is ever changed. */
const ids = new WeakMap<Plan, string>()

/** The plan's id: SHA-256, in hex, of its canonical JSON (keys sorted, numbers as JavaScript prints them). */
export function planId(plan: Plan): string {
  const known = ids.get(plan)
  if (known) return known
  const id = createHash('sha256').update(canonicalJson(plan)).digest('hex')
  ids.set(plan, id)
  return id
}

/** Equal plans, from whomever, are one job. */
export function jobId(plan: Plan): string {
  return `x${planId(plan)}`
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/**
 * The plan of a request on a snapshot: keeps the parameters that bear on the export's bytes.
 *
 * @throws ServiceError invalid_param when `itemId` is no item of the study
 */
export function makePlan({
  snapshot,
  exportName,
  parameters,
  formulaGuard,
  format = 'csv',
}: {
  snapshot: Snapshot
  exportName: ExportName
  parameters: Parameters
  /** Whether CSV gets it; no other format is opened in a spreadsheet that would run it. */
  formulaGuard: boolean
  format?: FormatName
}): Plan {
  const { itemId } = parameters
  const { study } = snapshot
  if (itemId !== null && !study.items.some(({ id }) => id === itemId)) {
    const fault = { parameter: 'itemId', rule: 'must be an item of the study', value: itemId }
    throw new ServiceError('invalid_param', `itemId must be an item of the study, got ${itemId}`, { faults: [fault] })
  }
  const entry = findExport(exportName)
  if (!entry) throw new ServiceError('not_found', `there is no export ${exportName}`)
  return {
    export: exportName,
    studyId: study.id,
    snapshotId: snapshot.id,
    parameters: planParameters(entry, parameters),
    version: VERSION,
    formulaGuard: format === 'csv' && formulaGuard,
    ...(format === 'csv' ? {} : { format }),
  }
}
