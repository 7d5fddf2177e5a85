import { createHash } from 'node:crypto'
import type { ExportName } from './export-names.ts'
import type { FormatName } from './format-names.ts'
import type { Parameters } from './parameters.ts'

/**
 * A request for an export as plain JSON that is logged, hashed, queued and compared. It holds everything that has an
 * influence on the bytes, and nothing else, so that equal plans give equal files.
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

/**
 * Returns the id of a plan: the SHA-256, in hex, of its canonical JSON (keys sorted, numbers as JavaScript prints
 * them).
 */
export function planId(plan: Plan): string {
  const known = ids.get(plan)
  if (known) return known
  const id = createHash('sha256').update(canonicalJson(plan)).digest('hex')
  ids.set(plan, id)
  return id
}

/** Returns the id of the job of a plan: equal plans, from whomever, are one job. */
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
