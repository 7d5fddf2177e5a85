import { MERGING_SETTINGS, settingsOfDetector, withDegrees } from '../../isomorphic/detector-settings.ts'
import { ServiceError } from '../model/errors.ts'
import { defaultParameters, type ParameterName, type Parameters } from '../model/parameters.ts'
import type { ExportEntry } from './columns/export-entry.ts'
import { takesEpochs } from './columns/test-epochs.ts'
import { PUPIL_SIZE_SETTINGS } from './columns/test-pupil.ts'
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
import { looksBinned } from './tables/looks-binned.ts'
import { microsaccades } from './tables/microsaccades.ts'
import { mouse } from './tables/mouse.ts'
import { participantsWide } from './tables/participants-wide.ts'
import { pupilStats } from './tables/pupil-stats.ts'
import { pupils } from './tables/pupils.ts'
import { qualityStats } from './tables/quality-stats.ts'
import { reading, readingLines } from './tables/reading.ts'
import { saccades } from './tables/saccades.ts'
import { samples } from './tables/samples.ts'
import { scanpaths } from './tables/scanpaths.ts'

/** All exports, in the order in which they are listed everywhere. */
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
  readingLines,
  looksBinned,
  scanpaths,
  microsaccades,
]

/** Returns the export with that name, if there is one. */
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
 * Returns the settings that affect a file of this export: other detectors than `velocity` have others, those of merging
 * only matter if something is merged, and thresholds in degrees replace those in percent.
 */
export function listedParameters({ listed }: ExportEntry, parameters: Parameters): ParameterName[] {
  if (!listed.includes('gazeVelocityThreshold')) return listed
  const { detector, mergeGapMs } = parameters
  const merging = mergeGapMs > 0 || detector === 'i2mc' ? MERGING_SETTINGS : []
  if (detector === 'velocity') return withDegrees([...listed, ...merging], parameters)
  const ofVelocity: ParameterName[] = [...settingsOfDetector('velocity'), 'participantQualityGradeItemMin']
  const ofExport = listed.filter((name) => !ofVelocity.includes(name))
  return ['detector', ...withDegrees([...settingsOfDetector(detector), ...ofExport, ...merging], parameters)]
}

/** Default of `mergeGapMs` for I2MC, where merging is a step of the detector. */
const I2MC_MERGE_GAP_MS = 30

/**
 * Returns the parameters in a plan of this export: those that affect its bytes or are in its notes.
 *
 * @param hasPupils true if the study has pupils
 */
export function planParameters(entry: ExportEntry, parameters: Parameters, hasPupils = true): Partial<Parameters> {
  const defaults = defaultParameters()
  const changed = (entry.listedIfChanged ?? []).filter((name) => hasPupils && parameters[name] !== defaults[name])
  const kept: ParameterName[] = [
    'itemId',
    ...listedParameters(entry, parameters),
    ...changed,
    'participantQualityGradeItemMin',
  ]
  if (parameters.filter !== null) kept.push('filter')
  const { analysis, ignored, offsets, fromMs, toMs, readingFrom, lines, eye, eventType, aoiNames } = parameters
  const extras = parameters.extras?.filter((extra) => entry.extras?.[extra] !== undefined) ?? []
  if (extras.includes('pupil')) kept.push(...PUPIL_SIZE_SETTINGS)
  const isOfEpochs = eventType !== undefined && (entry.takesLooks === true || takesEpochs(entry))
  return {
    ...Object.fromEntries(kept.map((name) => [name, parameters[name]])),
    ...(kept.includes('i2mcSeed') && parameters.mergeGapMs === 0 ? { mergeGapMs: I2MC_MERGE_GAP_MS } : {}),
    ...(eye !== undefined && (readsGaze(entry) || entry.takesPupil) ? { eye } : {}),
    ...(extras.length > 0 ? { extras } : {}),
    ...(entry.isOfReading && readingFrom !== undefined ? { readingFrom } : {}),
    ...(entry.isOfReading && lines !== undefined ? { lines } : {}),
    ...(entry.takesWindow || isOfEpochs ? ofWindow({ fromMs, toMs }) : {}),
    ...(isOfEpochs ? { eventType } : {}),
    ...(entry.takesLooks && aoiNames !== undefined ? { aoiNames } : {}),
    ...(analysis === undefined ? {} : { analysis }),
    ...(ignored === undefined ? {} : { ignored }),
    ...(offsets !== undefined && movesGaze(entry) ? { offsets } : {}),
  }
}

/** Returns whether the rows of an export depend on the gaze, so that `eye` affects them. */
export function readsGaze({ reads, isAsRecorded }: ExportEntry): boolean {
  return reads.includes('gazeXPx') && !isAsRecorded
}

/**
 * Returns whether offsets of gaze affect an export. The eye of `pupil-stats` selects the pupil, but gaze decides which
 * AOI it is in.
 */
export function movesGaze({ reads, isAsRecorded, takesPupil }: ExportEntry): boolean {
  return reads.includes('gazeXPx') && (!isAsRecorded || takesPupil === true)
}

/** Returns the given limits of a time window. */
export function ofWindow({ fromMs, toMs }: Pick<Parameters, 'fromMs' | 'toMs'>): Pick<Parameters, 'fromMs' | 'toMs'> {
  return { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) }
}
