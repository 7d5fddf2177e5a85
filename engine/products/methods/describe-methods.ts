import type { DetectorName } from '../../../shared/detector-settings.ts'
import { INTERPOLATION_HZ, LONGEST_JOINED_GAP_MS } from '../../compute/gaze.ts'
import { medianOf } from '../../compute/order-statistics.ts'
import { GAP_US, PADDED_MAX_US } from '../../compute/pupils/clean-eye.ts'
import { doiUrl } from '../../model/about.ts'
import type { EyeColumn } from '../../model/eye-columns.ts'
import { defaultParameters } from '../../model/parameters.ts'
import type { About, Recording } from '../../model/study.ts'
import type { Exclusion, MeasuredQuality, MethodsFacts, NumberSummary } from './methods-facts.ts'
import { citedSource, type Source, type SourceKey } from './sources.ts'

/** The methods section of a study. */
export type MethodsTexts = {
  /** Sentences about known facts only. */
  paragraph: string
  /** Facts to add: unknown ones, and those that only the authors know. */
  toAdd: string[]
  /** References in the order of the paragraph; the last is the reporting guideline. */
  sources: Source[]
  facts: MethodsFacts
}

/** Writes the methods section: a paragraph, its sources, and the list of facts that the authors must add. */
export function describeMethods(facts: MethodsFacts): MethodsTexts {
  const cited: SourceKey[] = []
  const cite = (key: SourceKey) => {
    if (!cited.includes(key)) cited.push(key)
    return citedSource(key).short
  }
  const sentences = [
    ...participantSentences(facts),
    ...apparatusSentences(facts.recording),
    ...recordedSentences(facts),
    ...(facts.measured ? qualitySentences(facts.measured, cite) : []),
    ...(facts.measured ? eyeQualitySentences(facts.measured) : []),
    ...eventSentences(facts, cite),
    ...pupilSentences(facts, cite),
    ...aoiSentences(facts),
    ...windowSentences(facts.parameters),
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

function participantSentences(facts: MethodsFacts): string[] {
  const { participants, completed, tests, participantsWithTests, exclusions } = facts
  return [
    `The study has ${count(participants, 'participant')}, of whom ${completed} completed it; ` +
      `${participantsWithTests} ${participantsWithTests === 1 ? 'has' : 'have'} at least one test ` +
      `(one participant looking at one item once), which makes ${count(tests, 'test')}.`,
    ...(exclusions.length === 0
      ? ['No test was excluded.']
      : exclusions.map((each, i) => exclusionSentence(each, exclusions[i - 1]?.tests ?? tests))),
  ]
}

/** Describes an exclusion. @param before number of tests before it */
function exclusionSentence({ because, value, tests, participants }: Exclusion, before: number): string {
  const left = `left ${count(tests, 'test')} of ${count(participants, 'participant')}.`
  if (because === 'quality') return `Excluding tests with ${value} (${before - tests} of ${before}) ${left}`
  if (because === 'item') return `Keeping only the item “${oneLine(value)}” ${left}`
  if (because === 'ignored') return `Leaving out ${value}, ${left}`
  if (because === 'filter')
    return `Keeping only tests for which the condition “${value}” is true (SQL; neither false nor unknown) ${left}`
  return `Excluding tests with a quality grade below ${value} (of 1 to 6; by sampling rate, gaps and gaze on the screen, where the study does not bring a grade) ${left}`
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
  const points = typeof calibrationPoints === 'number' ? `${count(calibrationPoints, 'point')}` : ''
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

/** Says when fixations are merged, for detectors with further steps after merging. */
const MERGED_BEFORE: Record<DetectorName, string> = {
  velocity: ' before short ones were dropped and long ones cut',
  dispersion: '',
  adaptive: ' before short ones were dropped',
  i2mc: ' before short ones were dropped',
}

type Cite = (key: SourceKey) => string

function qualitySentences(measured: MeasuredQuality, cite: Cite): string[] {
  const { tests, testsWithGaze, rateHz, lossPercents, precision, accuracy } = measured
  const without = tests - testsWithGaze
  return [
    ...(without > 0 ? [`Of the tests kept, ${without} ${without === 1 ? 'has' : 'have'} no sample with gaze.`] : []),
    ...(rateHz
      ? [`The sampling rate that was measured (from the median step between samples) was ${spread(rateHz, ' Hz')}.`]
      : []),
    ...(lossPercents ? [`The share of samples without gaze was ${spread(lossPercents, ' %')}.`] : []),
    ...(precision
      ? [
          `Precision (RMS-S2S in windows of 200 ms; ${cite('niehorster2020')}; ${cite('niehorster2026')}) was ` +
            `${spread(precision, precision.unit === 'deg' ? '°' : ' % of the width and height of the displayed item')}.`,
        ]
      : []),
    ...(accuracy
      ? [
          `Accuracy, the mean distance of gaze from ${count(accuracy.validations, 'validation target')}, was ` +
            `${spread(accuracy, accuracy.unit === 'deg' ? '°' : ' px', 'participant')}.`,
        ]
      : []),
  ]
}

/** Describes the quality of each eye that was recorded. */
function eyeQualitySentences({ eyes = [] }: MeasuredQuality): string[] {
  const of = (column: string) => eyes.find((each) => each.column === column)
  const parts = (['left', 'right'] as const).flatMap((side) => {
    const [loss, pupil, blinks] = ['data_loss_percents', 'pupil_loss_percents', 'blinks_per_minute'].map((name) =>
      of(`${side}_${name}`),
    )
    const degrees = of(`${side}_precision_window_rms_s2s_deg`)
    const precision = degrees ?? of(`${side}_precision_window_rms_s2s_percents`)
    const told = [
      ...(loss ? [`the share of samples without gaze was ${spread(loss, ' %')}`] : []),
      ...(precision ? [`precision was ${spread(precision, degrees ? '°' : ' %')}`] : []),
      ...(pupil ? [`the share of samples without a pupil was ${spread(pupil, ' %')}`] : []),
      ...(blinks ? [`there were ${spread(blinks, ' blinks a minute')}`] : []),
    ]
    return told.length === 0 ? [] : [`For the ${side} eye, ${told.join('; ')}.`]
  })
  const degrees = of('eye_disparity_median_deg')
  const disparity = degrees ?? of('eye_disparity_median_percents')
  const unit = degrees ? '°' : ' % of the width and height of the displayed item'
  return [
    ...parts,
    ...(disparity ? [`The gazes of both eyes were ${spread(disparity, unit)} apart, as the median of a test.`] : []),
  ]
}

/** Formats a median and a range over tests or participants. */
function spread({ n, median, min, max }: NumberSummary, unit: string, over = 'test'): string {
  return `${short(median)}${unit} (median over ${count(n, over)}; range ${short(min)} to ${short(max)})`
}

function eventSentences({ parameters, measured }: MethodsFacts, cite: Cite): string[] {
  const settings = { ...defaultParameters(), ...parameters }
  const { detector, movingMedianRangeMs, minFixationDurationMs: leastMs, maxFixationDurationMs: mostMs } = settings
  const joined = `Gaze was expressed in percent of the displayed item, cut where more than ${LONGEST_JOINED_GAP_MS} ms were missing, and interpolated linearly to about ${INTERPOLATION_HZ} Hz`
  const denoised = `${joined}, then denoised by a moving median over ${movingMedianRangeMs} ms.`
  const found = {
    velocity: [
      denoised,
      `Fixations were found by a velocity threshold (I-VT; ${detector === 'velocity' ? cite('salvucci2000') : ''}): ` +
        `gaze slower than ${settings.gazeVelocityThreshold} % of the displayed item per second for at least ${leastMs} ms; ` +
        `longer ones than ${mostMs} ms were cut into pieces.`,
    ],
    dispersion: [
      denoised,
      `Fixations were found by dispersion (I-DT; ${detector === 'dispersion' ? cite('salvucci2000') : ''}): gaze that stayed within ` +
        `${settings.dispersionThresholdPercent} % of the displayed item, width plus height, for at least ${leastMs} ms.`,
    ],
    adaptive: [
      `${joined}.`,
      `Fixations were found by a velocity threshold that follows the noise of each test, ` +
        `${settings.adaptiveLambda} times its median-based deviation (λ = ${settings.adaptiveLambda}; ${detector === 'adaptive' ? cite('engbert2003') : ''}): ` +
        `gaze below it for at least ${leastMs} ms; faster gaze of less than 8 ms between slower gaze did not count.`,
    ],
    i2mc: [
      'Gaze was expressed in percent of the displayed item.',
      `Fixations were found by two-means clustering (I2MC; ${detector === 'i2mc' ? cite('hessels2017') : ''}): ` +
        `losses of up to ${settings.i2mcGapMs} ms were interpolated (Steffen), windows of ${settings.i2mcWindowMs} ms were clustered every ${settings.i2mcStepMs} ms ` +
        `as they are and thinned out by 2, 5 and 10 (seed ${settings.i2mcSeed}); samples whose weight was below the mean plus ${settings.i2mcCutoffSd} standard deviations ` +
        `were candidates, whose ends were moved to within ${settings.i2mcEdgeMad} median distances of their median position; those of at least ${leastMs} ms are fixations.`,
    ],
  }[detector]
  const fixations = measured?.fixations
  const { mergeGapMs, mergeDistancePercent } = settings
  const merged = `Fixations with less than ${mergeGapMs} ms between them whose positions were less than ${mergeDistancePercent} % of the item’s width apart were merged${MERGED_BEFORE[detector]}.`
  return [
    ...eyeSentences(parameters),
    ...offsetSentences(parameters, cite),
    ...found,
    ...(mergeGapMs > 0 ? [merged] : []),
    `A pause of at most ${settings.saccadeMaxDurationMs} ms between two fixations is taken for a saccade.`,
    ...(fixations ? [`The number of fixations of a test was ${spread(fixations, '')}.`] : []),
  ]
}

/** Names what was recorded of each eye. */
function recordedSentences({ eyes = [], recording }: MethodsFacts): string[] {
  const whose = (left: EyeColumn, right: EyeColumn, one: string, two: string) => {
    const sides = [...(eyes.includes(left) ? ['left'] : []), ...(eyes.includes(right) ? ['right'] : [])]
    return sides.length === 2 ? [`both ${two}`] : sides.map((side) => `the ${side} ${one}`)
  }
  const unit = {
    mm: 'diameter in mm',
    px: 'diameter in px of the camera',
    diameter_au: 'diameter in arbitrary units',
    area_au: 'area in arbitrary units',
  }
  const size = recording?.pupilUnit ? unit[recording.pupilUnit] : 'unit unknown'
  const parts = [
    ...whose('leftGazeXPx', 'rightGazeXPx', 'eye', 'eyes').map((eye) => `the gaze of ${eye}`),
    ...whose('leftPupil', 'rightPupil', 'pupil', 'pupils').map((pupil) => `the size of ${pupil} (${size})`),
    ...whose('leftEyeDistanceMm', 'rightEyeDistanceMm', 'eye', 'eyes').map((eye) => `the distance of ${eye}`),
  ]
  if (parts.length === 0) return []
  const list = parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
  return [`Recorded of the eyes: ${list}.`]
}

/** Names the chosen eye, if one was chosen. */
function eyeSentences({ eye }: MethodsFacts['parameters']): string[] {
  if (eye === undefined) return []
  const gaze = {
    both: 'the mean of both eyes, where both were recorded',
    left: 'that of the left eye',
    right: 'that of the right eye',
    either: 'the mean of both eyes or, where one was lost, that of the other',
  }[eye]
  return [`Gaze is ${gaze}.`]
}

/** Describes the steps of pupil sizes (docs/pupils.md), with their settings; empty if the plan has none. */
function pupilSentences({ eyes = [], recording, parameters }: MethodsFacts, cite: Cite): string[] {
  const { pupilMinMm, pupilMaxMm, blinkMinMs, blinkMaxMs, pupilSpeedMad, pupilPadMs } = parameters
  if (pupilMinMm === undefined) return []
  const { pupilIslandMs, pupilGapMs, pupilSmoothingMs, pupilBaselineFromMs, pupilBaselineToMs, eye } = parameters
  const hasBoth = eyes.includes('leftPupil') && eyes.includes('rightPupil')
  const gapMs = GAP_US / 1000
  const removed = [
    ...(recording?.pupilUnit === 'mm' ? [`sizes below ${pupilMinMm} mm or above ${pupilMaxMm} mm`] : []),
    `sizes while an eyelid closed or opened around gaps of at least ${blinkMinMs} ms (${cite('hershman2018')}; gaps that lasted at most ${blinkMaxMs} ms with the movement of the eyelid count as blinks)`,
    ...(pupilSpeedMad
      ? [`sizes that changed faster than the median speed plus ${pupilSpeedMad} median absolute deviations`]
      : []),
    ...(pupilPadMs ? [`sizes less than ${pupilPadMs} ms from a gap of ${gapMs} to ${PADDED_MAX_US / 1000} ms`] : []),
    ...(pupilIslandMs ? [`runs shorter than ${pupilIslandMs} ms between gaps of at least ${gapMs} ms`] : []),
  ]
  const one = eye === 'left' || eye === 'right' ? `that of the ${eye} eye` : null
  const mean =
    eye === 'both'
      ? 'the mean of both eyes, at times when both have a size'
      : `the mean of both eyes or, where one has no size, that of the other, corrected by half the difference between the eyes`
  const window = `${pupilBaselineFromMs} to ${pupilBaselineToMs} ms from item onset`
  return [
    `Pupil sizes were cleaned for each eye (after ${cite('kret2019')}). Removed were, in this order: ${removed.join('; ')}.`,
    ...(pupilGapMs ? [`Gaps of at most ${pupilGapMs} ms were interpolated linearly.`] : []),
    ...(hasBoth || one ? [`The pupil is ${one ?? mean}.`] : []),
    ...(pupilSmoothingMs ? [`It was smoothed by a moving mean over ${pupilSmoothingMs} ms.`] : []),
    `The baseline of a test is the median of its sizes at ${window}, which is subtracted (${cite('mathot2023')}).`,
  ]
}

/** Says whose gaze was moved, how far, and how the offsets were found. */
function offsetSentences({ offsets = [] }: MethodsFacts['parameters'], cite: Cite): string[] {
  if (offsets.length === 0) return []
  const tests = offsets.filter(({ testId }) => testId !== undefined).length
  const whose = [
    ...(offsets.length > tests ? [`of ${count(offsets.length - tests, 'participant')}`] : []),
    ...(tests > 0 ? [`in ${count(tests, 'single test')}`] : []),
  ]
  const lengths = Float64Array.from(offsets, ({ dxPx, dyPx }) => Math.sqrt(dxPx * dxPx + dyPx * dyPx)).sort()
  const most = lengths.at(-1)!
  const far =
    lengths.length === 1
      ? `${short(most)} px`
      : `${short(medianOf(lengths.slice()))} px in the median and at most ${short(most)} px`
  const found = (['hand', 'validations', 'clicks'] as const).flatMap((source) => {
    const n = offsets.filter((each) => each.source === source).length
    if (n === 0) return []
    const how = { hand: 'by hand', validations: 'from targets of validations', clicks: 'from clicks' }[source]
    return [offsets.length === n ? how : `${n} ${how}`]
  })
  const isMeasured = offsets.some(({ source }) => source !== 'hand')
  const source = isMeasured ? ` as median disparities (after ${cite('zhang2011')})` : ''
  return [
    `To correct drift, the gaze ${whose.join(' and ')} was moved by a constant offset before any other step, ` +
      `by ${far}; the offsets were found ${found.join(', ')}${source}.`,
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
    `There ${aoiCount === 1 ? 'is' : 'are'} ${count(aoiCount, 'area')} of interest on ${count(items, 'item')}, ${size}.`,
  ]
}

/** Describes the time window in which AOIs are measured (docs/metrics.md); nothing without one. */
function windowSentences({ fromMs, toMs }: MethodsFacts['parameters']): string[] {
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
  const { recording, measured, exclusions, aois, samples, samplesMax, parameters } = facts
  const known = recording ?? {}
  const isMissing = (name: keyof Recording) => known[name] === undefined || known[name] === null
  const geometry = ['screenWidthPx', 'screenHeightPx', 'screenWidthCm', 'screenHeightCm', 'viewingDistanceCm'] as const
  const apparatus = [
    ...(isMissing('manufacturer') || isMissing('model') ? ['manufacturer and model of the eye tracker'] : []),
    ...(isMissing('nominalSamplingRateHz') ? ['its nominal sampling rate'] : []),
    ...(geometry.some(isMissing) ? ['size of the screen in px and cm, and the viewing distance'] : []),
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
          `Sampling rate, data loss, precision and accuracy: these ${samples} samples are more than the ${samplesMax} that are measured for an answer; the command gazette methods measures any number`,
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

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/** Formats a number with three significant digits. */
function short(value: number): string {
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

/** Removes line breaks and other control characters from a bundle's text. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ').trim()
}
