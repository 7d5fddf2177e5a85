import { missingGeometry } from '../../../isomorphic/screen-geometry.ts'
import { gradeConditions } from '../../compute/grade.ts'
import { doiUrl } from '../../model/about.ts'
import type { About, Recording } from '../../model/study.ts'
import { eventSentences } from './describe-events.ts'
import { lineSentences } from './describe-lines.ts'
import { microsaccadeSentences } from './describe-microsaccades.ts'
import { pupilSentences } from './describe-pupils.ts'
import { eyeQualitySentences, qualitySentences, recordedSentences } from './describe-quality.ts'
import type { Exclusion, MeasuredQuality, MethodsFacts } from './methods-facts.ts'
import { type Cite, countPhrase, oneLine, short } from './phrases.ts'
import { citedSource, type Publication, type SourceKey } from './sources.ts'

/** The methods section of a study. */
export type MethodsTexts = {
  /** Sentences about known facts only. */
  paragraph: string
  /** Facts to add: unknown ones, and those that only the authors know. */
  toAdd: string[]
  /** References in the order of the paragraph; the last is the reporting guideline. */
  sources: Publication[]
  facts: MethodsFacts
}

/** Writes the methods section: a paragraph, its sources, and the list of facts that the authors must add. */
export function describeMethods(facts: MethodsFacts): MethodsTexts {
  const cited: SourceKey[] = []
  const cite = (key: SourceKey) => {
    if (!cited.includes(key)) cited.push(key)
    return citedSource(key).short
  }
  const isEmpty = (facts.exclusions.at(-1)?.tests ?? facts.tests) === 0
  const sentences = [
    ...participantSentences(facts),
    ...apparatusSentences(facts.recording),
    ...(isEmpty ? ['No test was left, so that no gaze was analysed.'] : analysisSentences(facts, cite)),
    `Data were processed with Gazette ${facts.version} (study ${facts.studyId}, snapshot ${facts.snapshotId}).`,
    ...aboutSentences(facts.about ?? {}),
  ]
  return {
    paragraph: sentences.join(' '),
    toAdd: toAdd(facts),
    sources: [...cited, 'dunn2023' as const].map(citedSource),
    facts,
  }
}

/** Describes what was found in the gaze of the tests kept, and how. */
function analysisSentences(facts: MethodsFacts, cite: Cite): string[] {
  return [
    ...recordedSentences(facts),
    ...(facts.measured ? qualitySentences(facts.measured, cite) : []),
    ...eyeQualitySentences(facts, cite),
    ...eventSentences(facts, cite),
    ...microsaccadeSentences(facts, cite),
    ...pupilSentences(facts, cite),
    ...aoiSentences(facts),
    ...lineSentences(facts, cite),
    ...windowSentences(facts.parameters),
  ]
}

function participantSentences(facts: MethodsFacts): string[] {
  const { participants, completed, tests, participantsWithTests, exclusions } = facts
  return [
    `The study has ${countPhrase(participants, 'participant')}${completedWords(participants, completed)}; ` +
      `${participantsWithTests} ${participantsWithTests === 1 ? 'has' : 'have'} at least one test ` +
      `(one participant looking at one item once), which makes ${countPhrase(tests, 'test')}.`,
    ...(exclusions.length === 0
      ? ['No test was excluded.']
      : exclusions.map((each, i) => exclusionSentence(each, exclusions[i - 1]?.tests ?? tests))),
  ]
}

function completedWords(participants: number, completed: number): string {
  if (completed === 0) return ''
  if (completed < participants) return `, of whom ${completed} completed it`
  return participants === 1 ? ', who completed it' : ', all of whom completed it'
}

/** Describes an exclusion. @param before number of tests before it */
function exclusionSentence({ because, value, tests, participants }: Exclusion, before: number): string {
  const left = `left ${countPhrase(tests, 'test')} of ${countPhrase(participants, 'participant')}.`
  if (because === 'quality') return `Excluding tests with ${value} (${before - tests} of ${before}) ${left}`
  if (because === 'item') return `Keeping only the item “${oneLine(value)}” ${left}`
  if (because === 'ignored') return `Leaving out ${value}, ${left}`
  if (because === 'filter')
    return `Keeping only tests for which the condition “${value}” is true (SQL; neither false nor unknown) ${left}`
  return `Excluding tests with a quality grade below ${value}${conditionsOf(Number(value))} ${left}`
}

/** Says what a test needs for a grade; empty for grades without conditions. */
function conditionsOf(grade: number): string {
  const needed = gradeConditions(grade)
  if (needed === null) return ''
  const { hz, integrity, onScreen } = needed
  return ` (less than ${hz} samples with gaze per second, ${integrity} % of the time without gaps above 50 ms or ${onScreen} % of gaze on the screen, where the study does not bring a grade)`
}

function apparatusSentences(recording: Recording | null): string[] {
  if (recording === null) return []
  const { manufacturer, model, nominalSamplingRateHz, environment, calibrationType, calibrationPoints } = recording
  const { screenWidthPx, screenHeightPx, screenWidthCm, screenHeightCm, viewingDistanceCm } = recording
  const tracker = [manufacturer, model].filter((name) => name !== undefined && name !== null).map(oneLine)
  const device = tracker.length > 0 ? ` with ${tracker.join(' ')}` : ''
  const rate = nominalSamplingRateHz ? ` at a nominal ${short(nominalSamplingRateHz)} Hz` : ''
  const screen = [
    ...(screenWidthPx && screenHeightPx ? [`${screenWidthPx} × ${screenHeightPx} px`] : []),
    ...(screenWidthCm && screenHeightCm ? [`${short(screenWidthCm)} × ${short(screenHeightCm)} cm`] : []),
  ]
  const shown = screen.length > 0 ? `Items were shown on a screen of ${screen.join(', ')}` : ''
  const distance = viewingDistanceCm ? `at a viewing distance of ${short(viewingDistanceCm)} cm` : ''
  const points = typeof calibrationPoints === 'number' ? `${countPhrase(calibrationPoints, 'point')}` : ''
  const calibration = [...(calibrationType ? [oneLine(calibrationType)] : []), ...(points ? [points] : [])]
  return [
    ...(device || rate ? [`Eye movements were recorded${device}${rate}.`] : []),
    ...(shown ? [`${shown}${distance ? `, ${distance}` : ''}.`] : distance ? [`Items were shown ${distance}.`] : []),
    ...(calibration.length > 0 ? [`Calibration: ${calibration.join(', ')}.`] : []),
    ...(environment ? [`Environment: ${oneLine(environment)}.`] : []),
  ]
}

function aboutSentences({ license, doi, funding = [], ethics = [] }: About): string[] {
  const list = (texts: string[]) => texts.map((text) => oneLine(text).replace(/[.;]+$/, '')).join('; ')
  const place = doi === undefined ? '' : ` at ${doiUrl(doi)}`
  const terms = license === undefined ? '' : ` under the licence ${license}`
  return [
    ...(ethics.length === 0 ? [] : [`Ethics approval: ${list(ethics)}.`]),
    ...(funding.length === 0 ? [] : [`Funding: ${list(funding)}.`]),
    ...(place || terms ? [`The data are available${place}${terms}.`] : []),
  ]
}

function aoiSentences({ aois: { count: aoiCount, items, sizePercents } }: MethodsFacts): string[] {
  if (sizePercents === null) return []
  const { median, min, max } = sizePercents
  const size =
    aoiCount === 1
      ? `with a size of ${short(median)} % of the item`
      : `with a median size of ${short(median)} % of the item (range ${short(min)} to ${short(max)})`
  return [
    `There ${aoiCount === 1 ? 'is' : 'are'} ${countPhrase(aoiCount, 'area')} of interest on ${countPhrase(items, 'item')}, ${size}.`,
  ]
}

/** Describes the time window in which AOIs are measured (docs/metrics.md); nothing without one. */
function windowSentences({ fromMs, toMs, eventType }: MethodsFacts['parameters']): string[] {
  if (eventType !== undefined) {
    const end = toMs === undefined ? 'to the end of the test' : `to less than ${toMs} ms after it`
    return [
      `Time was cut into epochs, from ${fromMs ?? 0} ms after each event named “${oneLine(eventType)}” ${end}, which may overlap: a fixation belongs to the epochs in which it begins.`,
    ]
  }
  if (fromMs === undefined && toMs === undefined) return []
  const window =
    toMs === undefined
      ? `${fromMs} ms or later`
      : fromMs === undefined
        ? `less than ${toMs} ms`
        : `at least ${fromMs} ms and less than ${toMs} ms`
  return [
    `Measures in areas of interest were restricted to a window of time: only fixations that began ${window} after item onset were counted, each with its whole duration, and gaze points and clicks by their time alike.`,
  ]
}

/** Lists facts that a report needs and the study lacks. */
function toAdd(facts: MethodsFacts): string[] {
  const { recording, measured, exclusions, aois, samples, samplesMax, parameters, eyes } = facts
  const known = recording ?? {}
  const isMissing = (name: keyof Recording) => known[name] === undefined || known[name] === null
  const apparatus = [
    ...(isMissing('manufacturer') || isMissing('model') ? ['manufacturer and model of the eye tracker'] : []),
    ...(isMissing('nominalSamplingRateHz') ? ['its nominal sampling rate'] : []),
    ...(missingGeometry(recording, eyes).length > 0
      ? ['size of the screen in px and cm, and the viewing distance']
      : []),
    ...(isMissing('calibrationType') || isMissing('calibrationPoints')
      ? ['how and with how many points it was calibrated']
      : []),
    ...(isMissing('environment') ? ['where it was recorded, and the light there'] : []),
  ]
  return [
    `Participants: how they were recruited, age, gender, vision, consent${facts.about?.ethics ? '' : ' and ethics approval'}, and how their number was decided`,
    'Task and instructions; which eye was recorded; whether the head was supported; firmware and software of the eye tracker',
    ...(apparatus.length > 0 ? [`Apparatus, which the study does not tell: ${apparatus.join('; ')}`] : []),
    'What calibration was accepted, and what was done when it was not',
    ...(measured === null
      ? [
          `Data loss, sampling rate, precision, accuracy, and how much gaze and pupil was interpolated or removed: these ${samples} samples are more than the ${samplesMax} that are measured for an answer; the command gazette methods measures any number`,
        ]
      : missingQuality(measured)),
    ...(parameters.fromMs !== undefined || parameters.toMs !== undefined
      ? ['Why this window of time was chosen, and whether before the data were seen']
      : []),
    ...(exclusions.some(({ because }) => because !== 'item')
      ? ['Why tests were excluded by these conditions, and when that was decided']
      : []),
    'Why this detector and these settings were chosen',
    ...(aois.count > 0 ? ['How the areas of interest were drawn, by whom, and whether before the data were seen'] : []),
  ]
}

function missingQuality({ precision, accuracy }: MeasuredQuality): string[] {
  const hasDegrees = precision?.unit === 'deg'
  return [
    ...(accuracy ? [] : ['Accuracy: no validation with gaze is known of these participants']),
    ...(precision && !hasDegrees
      ? ['Precision in degrees, which needs the size of the screen in px and cm, and the viewing distance']
      : []),
  ]
}
