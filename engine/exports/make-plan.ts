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
import { includesPupils } from './columns/test-pupil.ts'
import { exportOf, planParameters } from './registry.ts'

/** Request for a plan. */
type PlanRequest = {
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
}

/**
 * Makes the plan of a request for a snapshot, with only the parameters that affect the export's bytes.
 *
 * @throws ServiceError invalid_param if `itemId` is not an item of the study, `filter` is not a condition on its tests,
 * or it lacks the gaze of `eye`; format_limit if the export is too large for the format
 */
export function makePlan(request: PlanRequest): Plan {
  const { snapshot, exportName, parameters, formulaGuard, format = 'csv' } = request
  const entry = exportOf(exportName)
  const planned = planParameters(entry, parameters, includesPupils(recordedEyes(snapshot.manifest)))
  const faults = faultsOf(request, planned)
  if (faults.length > 0) throw new ServiceError('invalid_param', faults.map(sentenceOf).join('; '), { faults })
  if (!holdsLists(format) && entry.columns.some(({ nested }) => Array.isArray(nested)))
    throw new ServiceError(
      'format_limit',
      `a cell of ${format.toUpperCase()} cannot hold all samples of a test, as ${exportName} has them: choose another format`,
    )
  return {
    export: exportName,
    studyId: snapshot.study.id,
    snapshotId: snapshot.id,
    parameters: planned,
    version: VERSION,
    formulaGuard: formulaGuard && hasFormulas(format),
    ...(format === 'csv' ? {} : { format }),
  }
}

function sentenceOf({ parameter, rule, position, value, nearest }: Fault): string {
  const at = position === undefined ? '' : ` (character ${position})`
  return `${parameter} ${rule}${at}, got ${value}${didYouMean(nearest)}`
}

/** Returns the parameters that do not suit the study or the export. */
function faultsOf(request: PlanRequest, planned: Partial<Parameters>): Fault[] {
  const { snapshot, parameters } = request
  const { itemId, filter, analysis } = parameters
  const { isJoined = analysis !== undefined } = request
  const { study, manifest } = snapshot
  const missing = missingGeometry(study.recording, recordedEyes(manifest))
  const isItem = itemId === null || study.items.some(({ id }) => id === itemId)
  return [
    ...(planned.lines === undefined ? [] : textFaults(study, itemId, planned.lines)),
    ...(missing.length === 0 ? [] : degreeFaults(planned, missing)),
    ...nameFaults(planned.aoiNames ?? [], study),
    ...eventFaults(request),
    ...eyeFaults(request),
    ...(isItem ? [] : [{ parameter: 'itemId', rule: 'must be an item of the study', value: itemId }]),
    ...filterFaults(filter, snapshot, isJoined ? JOINED : undefined),
  ]
}

function eyeFaults({ snapshot, exportName, parameters: { eye } }: PlanRequest): Fault[] {
  const ruleOf = exportOf(exportName).takesPupil ? pupilRule : eyeRule
  const rule = eye && ruleOf(eye, recordedEyes(snapshot.manifest))
  return eye && rule ? [{ parameter: 'eye', rule, value: eye }] : []
}

function eventFaults({ exportName, parameters: { eventType }, hasEpochs = true }: PlanRequest): Fault[] {
  if (eventType === undefined || isFromEvents(exportOf(exportName), hasEpochs)) return []
  const rule = `must be left out: ${hasEpochs ? exportName : 'this'} is measured from item onset only`
  return [{ parameter: 'eventType', rule, value: eventType }]
}

/** Returns the faults of names that no AOI of a study has, the last first. */
function nameFaults(aoiNames: string[], { aois }: Study): Fault[] {
  const names = [...new Set(aois.map(({ name }) => name))]
  const rule = 'must be names of AOIs of the study'
  const unknown = aoiNames.filter((name) => !names.includes(name))
  return unknown.map((value) => ({ parameter: 'aoiNames', rule, value, ...nearest(value, names) })).reverse()
}

/** Returns the faults of settings in degrees, the last first, where facts about the screen are missing. */
function degreeFaults(planned: Partial<Parameters>, missing: string[]): Fault[] {
  const where = `${missing.join(', ')} in the recording of the study`
  const given = Object.values(IN_DEGREES).filter((parameter) => (planned[parameter] ?? 0) !== 0)
  const faults = given.map((parameter) => ({ parameter, rule: `needs ${where}`, value: `${planned[parameter]}` }))
  const isExtra = planned.extras?.includes('degrees')
  const extras = { parameter: 'extras', rule: `degrees needs ${where}`, value: planned.extras?.join() ?? '' }
  return [...faults.reverse(), ...(isExtra ? [extras] : [])]
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
