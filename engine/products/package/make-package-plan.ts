import { tagsOf } from '../../exports/columns/aoi-identity.ts'
import { isFromEvents, makePlan } from '../../exports/make-plan.ts'
import { EXPORTS, exportOf } from '../../exports/registry.ts'
import type { Fault } from '../../model/errors.ts'
import { EXPORT_NAMES, type ExportName } from '../../model/export-names.ts'
import { recordedEyes } from '../../model/eye-columns.ts'
import type { FormatName } from '../../model/format-names.ts'
import { nearest } from '../../model/nearest.ts'
import type { Parameters } from '../../model/parameters.ts'
import type { PackagePlan } from '../../model/plan.ts'
import type { Snapshot } from '../../model/study.ts'
import { selectPlanned } from '../../run/estimate.ts'
import { countSamples } from '../../snapshot/selection.ts'
import { methodsPlan } from '../methods/methods-facts.ts'

/** Formats of the tables in a package, those that the descriptions cover. */
export const PACKAGE_FORMATS = ['csv', 'parquet'] as const satisfies FormatName[]
export type PackageFormat = (typeof PACKAGE_FORMATS)[number]

/**
 * Makes the plan of a package.
 *
 * @param exports null for all with rows, except the wide table and, with `eventType`, those that refuse it; `samples`
 *   is included only if a tracker recorded the eyes, since otherwise `gazes-raw` has the same data
 * @throws ServiceError invalid_param as `makePlan`
 */
export function makePackagePlan(given: {
  snapshot: Snapshot
  exports: ExportName[] | null
  parameters: Parameters
  formulaGuard: boolean
  format: PackageFormat
}): PackagePlan {
  const { snapshot, exports, parameters, formulaGuard, format } = given
  const hasEyes = recordedEyes(snapshot.manifest).length > 0
  // The wide table repeats the other tables. Plans of studies without tags stay the same.
  const hasTags = tagsOf(snapshot.study.aois).length > 0
  const isTimed = (name: ExportName) => parameters.eventType === undefined || isFromEvents(exportOf(name))
  const isWanted = (name: ExportName) =>
    isTimed(name) &&
    name !== 'participants-wide' &&
    (name !== 'samples' || hasEyes) &&
    (name !== 'aoi-tags-stats' || hasTags)
  const chosen = EXPORTS.filter(({ name }) => exports?.includes(name) ?? isWanted(name))
  const methods = methodsPlan(snapshot, parameters, {
    pupils: chosen.some(
      ({ takesPupil, extras }) => takesPupil || (extras?.pupil && parameters.extras?.includes('pupil')),
    ),
    microsaccades: chosen.some(({ name }) => name === 'microsaccades'),
  })
  return {
    export: 'package',
    studyId: methods.studyId,
    snapshotId: methods.snapshotId,
    version: methods.version,
    format: 'zip',
    tables: chosen.map(({ name }) => makePlan({ snapshot, exportName: name, parameters, formulaGuard, format })),
    leavesOutEmpty: exports === null,
    methods,
  }
}

/** Parses names of exports, separated by commas; null, with the faults appended, if any is unknown or repeated. */
export function readExports(text: string, faults: Fault[]): ExportName[] | null {
  const names = text.split(',').map((name) => name.trim())
  const known = names.filter((name): name is ExportName => EXPORT_NAMES.includes(name as ExportName))
  const unknown = names.find((name) => !known.includes(name as ExportName))
  const again = names.find((name, i) => names.indexOf(name) !== i)
  if (unknown !== undefined)
    faults.push({
      parameter: 'exports',
      rule: `must be names of exports between commas, of ${EXPORT_NAMES.join(', ')}`,
      value: unknown,
      ...nearest(unknown, EXPORT_NAMES),
    })
  else if (again !== undefined) faults.push({ parameter: 'exports', rule: 'must name each export once', value: again })
  else return known
  return null
}

/** Counts the samples that computing a package reads: each table reads all samples of the selected tests. */
export async function countPackageSamples(
  { tables, methods }: PackagePlan,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<number> {
  return countSamples(await selectPlanned(methods, snapshot, signal)) * tables.length
}
