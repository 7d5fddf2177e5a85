import { MERGING_SETTINGS, settingsOfDetector } from '../../shared/detector-settings.ts'
import { ServiceError } from '../model/errors.ts'
import type { ParameterName, Parameters } from '../model/parameters.ts'
import type { ExportEntry } from './columns/export-entry.ts'
import { aoiClicksStats } from './tables/aoi-clicks-stats.ts'
import { aoiFixationsOrder } from './tables/aoi-fixations-order.ts'
import { aoiFixationsStats } from './tables/aoi-fixations-stats.ts'
import { aoiOverallStats } from './tables/aoi-overall-stats.ts'
import { aoiTagsStats } from './tables/aoi-tags-stats.ts'
import { aoiTransitions } from './tables/aoi-transitions.ts'
import { aoiVisits } from './tables/aoi-visits.ts'
import { blinks } from './tables/blinks.ts'
import { events } from './tables/events.ts'
import { fixations } from './tables/fixations.ts'
import { fixationsAois } from './tables/fixations-aois.ts'
import { gazesAois } from './tables/gazes-aois.ts'
import { gazesAoisBinned } from './tables/gazes-aois-binned.ts'
import { gazesNormalized } from './tables/gazes-normalized.ts'
import { gazesRaw } from './tables/gazes-raw.ts'
import { gazesSplit } from './tables/gazes-split.ts'
import { keyboardMouseOverall } from './tables/keyboard-mouse-overall.ts'
import { mouse } from './tables/mouse.ts'
import { participantsWide } from './tables/participants-wide.ts'
import { pupilStats } from './tables/pupil-stats.ts'
import { pupils } from './tables/pupils.ts'
import { qualityStats } from './tables/quality-stats.ts'
import { reading } from './tables/reading.ts'
import { saccades } from './tables/saccades.ts'
import { samples } from './tables/samples.ts'

/** Every export, in the order in which they are listed everywhere. */
export const EXPORTS: ExportEntry[] = [
  gazesRaw,
  gazesNormalized,
  gazesSplit,
  mouse,
  fixations,
  aoiOverallStats,
  aoiFixationsStats,
  aoiFixationsOrder,
  aoiClicksStats,
  keyboardMouseOverall,
  qualityStats,
  fixationsAois,
  gazesAois,
  gazesAoisBinned,
  saccades,
  aoiTransitions,
  aoiVisits,
  participantsWide,
  aoiTagsStats,
  samples,
  events,
  pupils,
  pupilStats,
  blinks,
  reading,
]

/** Returns the export of that name, if there is one. */
export function findExport(name: string): ExportEntry | undefined {
  return EXPORTS.find((entry) => entry.name === name)
}

/** Returns the export that a plan names. @throws ServiceError not_found */
export function exportOf(name: string): ExportEntry {
  const entry = findExport(name)
  if (!entry) throw new ServiceError('not_found', `there is no export ${name}`)
  return entry
}

/**
 * Returns the settings that a file of this export is computed with: another detector than `velocity` has others, and
 * those of merging count where something is merged.
 */
export function listedParameters({ listed }: ExportEntry, { detector, mergeGapMs }: Parameters): ParameterName[] {
  if (!listed.includes('gazeVelocityThreshold')) return listed
  const merging = mergeGapMs > 0 || detector === 'i2mc' ? MERGING_SETTINGS : []
  if (detector === 'velocity') return [...listed, ...merging]
  return ['detector', ...settingsOfDetector(detector), ...merging]
}

/** Merging is a step of I2MC itself, with this gap unless a request gives another. */
const I2MC_MERGE_GAP_MS = 30

/**
 * Returns the parameters that belong into a plan of this export: those that influence its bytes or are echoed in its
 * notes.
 */
export function planParameters(entry: ExportEntry, parameters: Parameters): Partial<Parameters> {
  const kept: ParameterName[] = ['itemId', ...listedParameters(entry, parameters), 'participantQualityGradeItemMin']
  if (parameters.filter !== null) kept.push('filter')
  const { analysis, ignored, offsets, fromMs, toMs, eye } = parameters
  return {
    ...Object.fromEntries(kept.map((name) => [name, parameters[name]])),
    ...(kept.includes('i2mcSeed') && parameters.mergeGapMs === 0 ? { mergeGapMs: I2MC_MERGE_GAP_MS } : {}),
    ...(eye !== undefined && (readsGaze(entry) || entry.takesPupil) ? { eye } : {}),
    ...(entry.takesWindow ? ofWindow({ fromMs, toMs }) : {}),
    ...(analysis === undefined ? {} : { analysis }),
    ...(ignored === undefined ? {} : { ignored }),
    ...(offsets !== undefined && movesGaze(entry) ? { offsets } : {}),
  }
}

/** Returns whether the rows of an export depend on the gaze, so that `eye` bears on them. */
export function readsGaze({ reads, isAsRecorded }: ExportEntry): boolean {
  return reads.includes('gazeXPx') && !isAsRecorded
}

/**
 * Returns whether offsets of gaze bear on an export. The eye of `pupil-stats` is that of the pupil, but its AOIs are
 * found by gaze.
 */
export function movesGaze({ reads, isAsRecorded, takesPupil }: ExportEntry): boolean {
  return reads.includes('gazeXPx') && (!isAsRecorded || takesPupil === true)
}

/** Returns the limits of a window of time that there are. */
export function ofWindow({ fromMs, toMs }: Pick<Parameters, 'fromMs' | 'toMs'>): Pick<Parameters, 'fromMs' | 'toMs'> {
  return { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) }
}
