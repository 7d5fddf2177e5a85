import { createHash } from 'node:crypto'
import { EXPORT_NAMES, type ExportName } from './export-names.ts'
import type { FormatName } from './format-names.ts'
import type { Parameters } from './parameters.ts'

/**
 * A request for an export as plain JSON, which is logged, hashed, queued and compared. It holds exactly the facts that
 * influence the bytes, so equal plans give equal files.
 */
export type Plan = {
  export: ExportName
  /** Lower-case UUID. */
  studyId: string
  snapshotId: string
  /** Parameters that affect this export or appear in its notes, with defaults filled in. */
  parameters: Partial<Parameters>
  /** Gazette's version. */
  version: string
  formulaGuard: boolean
  /** Format; absent for CSV. */
  format?: Exclude<FormatName, 'csv'>
  /** Number of files, each complete by itself, that together have the rows; absent for one file. */
  parts?: number
}

/** Returns the plan without the offsets of its analysis, so with gaze as it was recorded. */
export function withoutOffsets(plan: Plan): Plan {
  const { offsets: _, ...parameters } = plan.parameters
  return { ...plan, parameters }
}

/** Name of packages, which their plans have in the place of an export. */
const PACKAGE = 'package'

/** Names of all that a plan can make: tables, and packages of tables. */
export const MADE_NAMES = [...EXPORT_NAMES, PACKAGE] as const

/** Plan of a package: several tables of a study with the files that describe them, as one ZIP file. */
export type PackagePlan = {
  export: typeof PACKAGE
  studyId: string
  snapshotId: string
  version: string
  format: 'zip'
  /** Plans of the tables in the order of output, with the same parameters and in one format. */
  tables: Plan[]
  /** True if tables without rows are left out. */
  leavesOutEmpty: boolean
  /** Plan that the methods text describes. */
  methods: Plan
}

/** A plan from which a file is computed. */
export type FilePlan = Plan | PackagePlan

/** Returns whether a file is a package of tables. */
export function isPackage(plan: FilePlan): plan is PackagePlan {
  return plan.export === PACKAGE
}

/** Returns the number of files in which a plan's rows are asked for; null for one file. */
export function filesAskedFor(plan: FilePlan): number | null {
  return isPackage(plan) ? null : (plan.parts ?? null)
}

/** Cache of ids by plan object: requests ask for the same id repeatedly, and plans never change. */
const ids = new WeakMap<FilePlan, string>()

/**
 * Returns the id of a plan: the SHA-256, in hex, of its canonical JSON (keys sorted, numbers as JavaScript prints
 * them).
 */
export function planId(plan: FilePlan): string {
  const known = ids.get(plan)
  if (known) return known
  const id = createHash('sha256').update(canonicalJson(plan)).digest('hex')
  ids.set(plan, id)
  return id
}

/** Returns the id of the job of a plan: identical plans share one job. */
export function jobId(plan: FilePlan): string {
  return `x${planId(plan)}`
}

/** Returns JSON that is equal for equal values: keys sorted, numbers as JavaScript prints them. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
