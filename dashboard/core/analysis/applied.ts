import { conjunctsOf } from '../../../isomorphic/conditions.ts'
import { withDegrees } from '../../../isomorphic/detector-settings.ts'
import { countOffsets } from '../../../isomorphic/gaze-offsets.ts'
import { leftOutBy } from '../../../isomorphic/quality-words.ts'
import type { Kept, ParameterInfo, StudyAnalysis } from '../api.ts'
import { countOf, wholeText } from '../number-texts.ts'
import { conditionWords } from '../people/conditions.ts'
import { GRADE_NAME, LABELS, namesFor, PUPIL_NAMES, type Settings, shortUnit } from '../view/chart-settings.ts'
import { DETECTOR_LABELS, EYE_LABELS } from '../view/named-settings.ts'
import { windowText } from '../view/window-text.ts'

/** Words for what applies to the figures and numbers of a page. */
export type Applied = {
  /** Excluded tests, and why; '' if nothing excludes any. */
  excluded: string
  /** Settings that differ from the defaults of the server, offsets of gaze, and the time window. */
  changed: string[]
  /** Owner of the gaze if both eyes were recorded and none is chosen; '' otherwise. */
  gaze: string
  /** Place of what applies: the address alone, or an analysis; '' if nothing differs. */
  kept: string
}

/** Conditions that exclude tests. */
type Exclusion = { filters: (string | null | undefined)[]; gradeMin: number; ignored: number }

/** Returns why tests are excluded, reason by reason, in the words of the methods section where it has some. */
export function exclusionWords({ filters, gradeMin, ignored }: Exclusion): string[] {
  const conditions = filters.flatMap((filter) => (filter ? conjunctsOf(filter) : []))
  return [
    ...(ignored > 0 ? [`${countOf(ignored, 'participant')} ignored`] : []),
    ...(gradeMin > 1 ? [`quality grade below ${gradeMin}`] : []),
    ...conditions.map((condition) => leftOutBy(condition) ?? `all but ${conditionWords(condition)}`),
  ]
}

type Facts = {
  /** Settings of the page, whose filter is that of the address. */
  settings: Settings
  /** Parameters with the server's defaults. */
  plain: ParameterInfo[]
  /** True if the page shows gaze of a study that recorded that of both eyes. */
  isOfBothEyes: boolean
  /** Analysis in use, and its name. */
  analysis: StudyAnalysis
  name: string | null
  /** True if the address changes the analysis, or sets something without one. */
  isChanged: boolean
  /** Null until the number of excluded tests is known. */
  kept: Kept | null
}

/** Sums up what applies to a page; the strip, captions, shared links and reports all take their words from here. */
export function whatApplies({ settings, plain, isOfBothEyes, analysis, name, isChanged, kept }: Facts): Applied {
  const { ignored = [], offsets = [] } = analysis
  const reasons = exclusionWords({
    filters: [analysis.filter, settings.filter],
    gradeMin: settings[GRADE_NAME],
    ignored: ignored.length,
  })
  const inWindow = windowText(settings)
  return {
    excluded: reasons.length === 0 ? '' : `${excludedCount(kept)}: ${reasons.join('; ')}`,
    changed: [
      ...(offsets.length > 0 ? [`gaze of ${countOffsets(offsets)} moved`] : []),
      ...changedWords(settings, plain),
      ...(inWindow === null ? [] : [inWindow]),
    ],
    gaze: isOfBothEyes && settings.eye === 'recorded' ? GAZE_OF_BOTH : '',
    kept: isChanged ? 'not saved' : name === null ? '' : `saved as “${name}”`,
  }
}

/** Recordings do not say whether it is that of one eye or a mean (docs/signal.md). */
const GAZE_OF_BOTH = 'gaze as recorded, no eye chosen'

function excludedCount(kept: Kept | null): string {
  if (kept === null) return 'Excluded tests'
  return `${wholeText(kept.testsTotal - kept.tests)} of ${countOf(kept.testsTotal, 'test')} excluded`
}

/** Describes the settings that differ from the server's defaults, of those that the detector uses. */
function changedWords(settings: Settings, plain: ParameterInfo[]): string[] {
  const used: string[] = [
    'detector',
    'eye',
    'lines',
    'readingFrom',
    ...withDegrees(namesFor(settings.detector, ['gazeVelocityThreshold', 'binMs', ...PUPIL_NAMES]), settings),
  ]
  return plain.flatMap(({ name, unit, default: fallback }) => {
    const value = settings[name as keyof Settings]
    return used.includes(name) && String(value) !== String(fallback ?? '') ? [settingWords(name, value, unit)] : []
  })
}

/** Describes a setting: `velocity threshold 100 %/s`. */
export function settingWords(name: string, value: unknown, unit: string | undefined): string {
  if (name === 'eye') return (EYE_LABELS[String(value)] ?? String(value)).toLowerCase()
  if (name === 'lines') return `fixations on lines by ${value}`
  if (name === 'readingFrom') return `reading from ${value}${/^\d+$/.test(String(value)) ? ' ms' : ''}`
  if (name === 'detector') return DETECTOR_LABELS[value as Settings['detector']] ?? String(value)
  return `${(LABELS[name] ?? name).toLowerCase()} ${value} ${shortUnit(unit)}`.trim()
}

/**
 * Says what applies, for figures, files and paper; '' if all tests count, with default settings and gaze that is of one
 * eye or was not recorded by eye.
 */
export function appliedText({ excluded, changed, gaze }: Pick<Applied, 'excluded' | 'changed' | 'gaze'>): string {
  return [excluded, ...changed, gaze].filter((text) => text !== '').join(' · ')
}
