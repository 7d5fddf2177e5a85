import { IN_DEGREES } from '../../isomorphic/detector-settings.ts'
import { missingGeometry } from '../../isomorphic/screen-geometry.ts'
import { filterFaults, JOINED } from '../filter/read-filter.ts'
import { type Fault, ServiceError } from '../model/errors.ts'
import type { ExportName } from '../model/export-names.ts'
import { eyeRule, pupilRule, recordedEyes } from '../model/eye-columns.ts'
import { type FormatName, hasFormulas, holdsLists } from '../model/format-names.ts'
import { didYouMean, nearest } from '../model/nearest.ts'
import type { Parameters } from '../model/parameters.ts'
import type { Plan } from '../model/plan.ts'
import type { Snapshot, Study } from '../model/study.ts'
import { VERSION } from '../model/version.ts'
import { aoiShape } from './columns/aoi-shape.ts'
import type { ExportEntry } from './columns/export-entry.ts'
import { takesEpochs } from './columns/test-epochs.ts'
import { lineOutOfOrder } from './columns/test-lines.ts'
import { hasPupils } from './columns/test-pupil.ts'
import { exportOf, planParameters } from './registry.ts'

/**
 * Makes the plan of a request for a snapshot, with only the parameters that affect the export's bytes.
 *
 * @throws ServiceError invalid_param if `itemId` is not an item of the study, `filter` is not a condition on its tests,
 * or it lacks the gaze of `eye`; format_limit if the export is too large for the format
 */
export function makePlan({
  snapshot,
  exportName,
  parameters,
  formulaGuard,
  format = 'csv',
  isJoined = parameters.analysis !== undefined,
  hasEpochs = true,
}: {
  snapshot: Snapshot
  exportName: ExportName
  parameters: Parameters
  /** True to guard formulas in CSV; spreadsheets that would run them open no other format. */
  formulaGuard: boolean
  format?: FormatName
  /** True if the filter was joined from several, each already checked. */
  isJoined?: boolean
  /** False for analyses and charts, which have no rows for epochs. */
  hasEpochs?: boolean
}): Plan {
  const { itemId, filter, eye } = parameters
  const { study } = snapshot
  const faults = filterFaults(filter, snapshot, isJoined ? JOINED : undefined)
  if (itemId !== null && !study.items.some(({ id }) => id === itemId))
    faults.unshift({ parameter: 'itemId', rule: 'must be an item of the study', value: itemId })
  const ruleOf = exportOf(exportName).takesPupil ? pupilRule : eyeRule
  const eyes = recordedEyes(snapshot.manifest)
  const rule = eye && ruleOf(eye, eyes)
  if (eye && rule) faults.unshift({ parameter: 'eye', rule, value: eye })
  if (parameters.eventType !== undefined && !isFromEvents(exportOf(exportName), hasEpochs)) {
    const ruleOfEvents = `must be left out: ${hasEpochs ? exportName : 'this'} is measured from item onset only`
    faults.unshift({ parameter: 'eventType', rule: ruleOfEvents, value: parameters.eventType })
  }
  const planned = planParameters(exportOf(exportName), parameters, hasPupils(eyes))
  const names = [...new Set(study.aois.map(({ name }) => name))]
  for (const value of planned.aoiNames ?? [])
    if (!names.includes(value))
      faults.unshift({
        parameter: 'aoiNames',
        rule: 'must be names of AOIs of the study',
        value,
        ...nearest(value, names),
      })
  const missing = missingGeometry(study.recording, eyes)
  if (planned.extras?.includes('degrees') && missing.length > 0) {
    const needed = `degrees needs ${missing.join(', ')} in the recording of the study`
    faults.unshift({ parameter: 'extras', rule: needed, value: planned.extras.join() })
  }
  for (const parameter of Object.values(IN_DEGREES)) {
    const value = planned[parameter] ?? 0
    if (value === 0 || missing.length === 0) continue
    faults.unshift({ parameter, rule: `needs ${missing.join(', ')} in the recording of the study`, value: `${value}` })
  }
  if (planned.lines !== undefined) faults.unshift(...textFaults(study, itemId, planned.lines))
  if (faults.length > 0) {
    const sentences = faults.map(
      ({ parameter, rule, position, value, nearest }) =>
        `${parameter} ${rule}${position === undefined ? '' : ` (character ${position})`}, got ${value}${didYouMean(nearest)}`,
    )
    throw new ServiceError('invalid_param', sentences.join('; '), { faults })
  }
  if (!holdsLists(format) && exportOf(exportName).columns.some(({ nested }) => Array.isArray(nested)))
    throw new ServiceError(
      'format_limit',
      `a cell of ${format.toUpperCase()} cannot hold all samples of a test, as ${exportName} has them: choose another format`,
    )
  return {
    export: exportName,
    studyId: study.id,
    snapshotId: snapshot.id,
    parameters: planned,
    version: VERSION,
    formulaGuard: formulaGuard && hasFormulas(format),
    ...(format === 'csv' ? {} : { format }),
  }
}

/** Returns the faults of items whose lines do not follow each other downwards, to which none can be assigned. */
function textFaults({ items, aois }: Study, itemId: string | null, value: string): Fault[] {
  return items.flatMap((item) => {
    if (itemId !== null && item.id !== itemId) return []
    const own = aois.filter((aoi) => aoi.itemId === item.id)
    const names = own.map(({ name }) => name)
    const shapes = own.map((aoi) => aoiShape(aoi, item))
    const wrong = lineOutOfOrder(names, shapes)
    if (wrong === null) return []
    const rule = `must be left out: line ${wrong[0]} of ${item.filename || item.id} is not below line ${wrong[1]}`
    return [{ parameter: 'lines', rule, value }]
  })
}

/**
 * Returns whether an export is measured from events, if `eventType` names some; true if it has no time window, either,
 * so that it heeds none of it.
 */
export function isFromEvents(entry: ExportEntry, hasEpochs = true): boolean {
  if (entry.takesLooks) return true
  return takesEpochs(entry) ? hasEpochs : entry.takesWindow !== true
}
