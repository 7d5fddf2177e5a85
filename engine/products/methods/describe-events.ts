import type { DetectorName } from '../../../isomorphic/detector-settings.ts'
import { thinningOf } from '../../compute/detectors/i2mc/weigh.ts'
import { INTERPOLATION_STEP_MS, LONGEST_JOINED_GAP_MS } from '../../compute/gaze.ts'
import { medianOf } from '../../compute/order-statistics.ts'
import { defaultParameters, type Parameters } from '../../model/parameters.ts'
import { isSeen, measureOfEye } from './describe-quality.ts'
import type { MeasuredQuality, MethodsFacts } from './methods-facts.ts'
import { type Cite, countPhrase, joined, short, spread } from './phrases.ts'

/** Says when fixations are merged, for detectors with further steps after merging. */
const MERGED_BEFORE: Record<DetectorName, string> = {
  velocity: ' before short ones were dropped and long ones cut',
  dispersion: '',
  adaptive: ' before short ones were dropped',
  i2mc: ' before short ones were dropped',
}

/** Describes how gaze became fixations and saccades. */
export function eventSentences(facts: MethodsFacts, cite: Cite): string[] {
  const { parameters, measured } = facts
  const settings = { ...defaultParameters(), ...parameters }
  const { detector, minFixationDurationMs: leastMs, maxFixationDurationMs: mostMs } = settings
  const bridged = measured?.steps.bridged
  const fastSkipped = bridged
    ? `; faster gaze of less than 8 ms between slower gaze did not count (${countPhrase(bridged, 'time')})`
    : ''
  const found = {
    velocity: [
      `Fixations were found by a velocity threshold (I-VT; ${detector === 'velocity' ? cite('salvucci2000') : ''}): ` +
        `gaze slower than ${settings.gazeVelocityThresholdDegPerS > 0 ? `${settings.gazeVelocityThresholdDegPerS}° of the visual field` : `${settings.gazeVelocityThreshold} % of the displayed item`} per second for at least ${leastMs} ms; ` +
        `${measured?.steps.cut === 0 ? `none was longer than ${mostMs} ms` : `longer ones than ${mostMs} ms were cut into pieces${measured ? ` (${measured.steps.cut})` : ''}`}.`,
    ],
    dispersion: [
      `Fixations were found by dispersion (I-DT; ${detector === 'dispersion' ? cite('salvucci2000') : ''}): gaze that stayed within ` +
        `${settings.dispersionThresholdDeg > 0 ? `${settings.dispersionThresholdDeg}° of the visual field` : `${settings.dispersionThresholdPercent} % of the displayed item`}, width plus height, for at least ${leastMs} ms.`,
    ],
    adaptive: [
      `Fixations were found by a velocity threshold that follows the noise of each test, ` +
        `${settings.adaptiveLambda} times its median-based deviation (λ = ${settings.adaptiveLambda}; ${detector === 'adaptive' ? cite('engbert2003') : ''}): ` +
        `gaze below it for at least ${leastMs} ms${fastSkipped}.`,
    ],
    i2mc: i2mcSentences(facts, settings, cite),
  }[detector]
  const fixations = measured?.fixations
  const { mergeGapMs, mergeDistancePercent, mergeDistanceDeg } = settings
  const near = mergeDistanceDeg > 0 ? `${mergeDistanceDeg}°` : `${mergeDistancePercent} % of the item’s width`
  const joins = measured?.steps.merged
  const merged = `Fixations with less than ${mergeGapMs} ms between them whose positions were less than ${near} apart were merged${MERGED_BEFORE[detector]}${joins === undefined ? '' : ` (${countPhrase(joins, 'time')})`}.`
  return [
    ...eyeSentences(facts),
    ...offsetSentences(parameters, cite),
    gazeSentence(settings, measured),
    ...found,
    ...(mergeGapMs > 0 && joins !== 0 ? [merged] : []),
    ...distanceSentence(facts, settings),
    `A pause of at most ${settings.saccadeMaxDurationMs} ms between two fixations is taken for a saccade.`,
    ...(fixations ? [`The number of fixations of a test was ${spread(fixations, '')}.`] : []),
  ]
}

/** Names the distance that thresholds in degrees take, if it was recorded. */
function distanceSentence({ eyes = [] }: MethodsFacts, settings: Parameters): string[] {
  const { detector, mergeGapMs, mergeDistanceDeg } = settings
  const threshold = { velocity: 'gazeVelocityThresholdDegPerS', dispersion: 'dispersionThresholdDeg' } as const
  const isInDegrees = (detector === 'velocity' || detector === 'dispersion') && settings[threshold[detector]] > 0
  const isUsed = isInDegrees || (mergeGapMs > 0 && mergeDistanceDeg > 0)
  return isUsed && eyes.some((column) => column.endsWith('EyeDistanceMm'))
    ? ['Degrees are those at the recorded distance of the eyes.']
    : []
}

/** Describes the steps that changed gaze before fixations were found. */
function gazeSentence({ detector, movingMedianRangeMs }: Parameters, measured: MeasuredQuality | null): string {
  const { points, interpolated, cuts } = measured?.points ?? { points: 0, interpolated: 0, cuts: 0 }
  const isJoined = detector !== 'i2mc'
  const steps = [
    'expressed in percent of the displayed item',
    ...(isJoined && cuts ? [`cut at ${countPhrase(cuts, 'gap')} of more than ${LONGEST_JOINED_GAP_MS} ms`] : []),
    ...(isJoined && interpolated
      ? [
          `interpolated linearly in gaps of ${INTERPOLATION_STEP_MS} to ${LONGEST_JOINED_GAP_MS} ms (${interpolated} of ${countPhrase(points, 'point')})`,
        ]
      : []),
    ...(detector === 'velocity' || detector === 'dispersion'
      ? [`denoised by a moving median over ${movingMedianRangeMs} ms`]
      : []),
  ]
  return `Gaze was ${joined(steps)}.`
}

/** Describes 2-means clustering by the eyes and the sampling rate of these tests. */
function i2mcSentences(facts: MethodsFacts, settings: Parameters, cite: Cite): string[] {
  if (settings.detector !== 'i2mc') return []
  const { measured } = facts
  const { i2mcGapMs, i2mcWindowMs, i2mcStepMs, i2mcCutoffSd, i2mcEdgeMad, i2mcSeed, eye } = settings
  const lost = measured?.steps.filled
  const filled = lost
    ? `${countPhrase(lost, 'lost position')} in gaps of up to ${i2mcGapMs} ms ${lost === 1 ? 'was' : 'were'} interpolated (Steffen), `
    : ''
  const isEach = isSeen(facts, 'leftGazeXPx') && isSeen(facts, 'rightGazeXPx') && eye !== 'left' && eye !== 'right'
  const whose = isEach ? 'for each eye separately, with the mean of the weights of both, ' : ''
  const factorsAt = (hz: number) => thinningOf(Math.round((i2mcWindowMs * hz) / 1000)).filter((by) => by > 1)
  const factors = factorsAt(measured?.rateHz?.max ?? 0)
  const isAlways = factors.length === factorsAt(measured?.rateHz?.min ?? 0).length
  const where = isAlways ? '' : ', where that left three samples'
  const thinned = factors.length === 0 ? '' : `as they are and thinned out by ${joined(factors.map(String))}${where} `
  return [
    `Fixations were found by two-means clustering (I2MC; ${cite('hessels2017')}): ${filled}` +
      `windows of ${i2mcWindowMs} ms were clustered every ${i2mcStepMs} ms, ${whose}${thinned}(seed ${i2mcSeed}); ` +
      `samples whose weight was below the mean plus ${i2mcCutoffSd} standard deviations were candidates, ` +
      `whose ends were moved to within ${i2mcEdgeMad} median distances of their median position; ` +
      `those of at least ${settings.minFixationDurationMs} ms are fixations.`,
  ]
}

/** Names the chosen eye, if one was chosen. */
function eyeSentences(facts: MethodsFacts): string[] {
  const { eye } = facts.parameters
  if (eye === undefined) return []
  const seen = (['left', 'right'] as const).filter((side) => isSeen(facts, `${side}GazeXPx`))
  const hasLoss = (['left', 'right'] as const).some(
    (side) => measureOfEye(facts, `${side}_data_loss_percents`)?.max !== 0,
  )
  const mean = {
    both: hasLoss ? 'the mean of both eyes, where both were recorded' : 'the mean of both eyes',
    either: hasLoss ? 'the mean of both eyes or, where one was lost, that of the other' : 'the mean of both eyes',
  }
  const one = eye === 'left' || eye === 'right' ? eye : eye === 'either' && seen.length === 1 ? seen[0] : null
  const gaze = one === null ? mean[eye as 'both' | 'either'] : `that of the ${one} eye`
  return [`Gaze is ${gaze}.`]
}

/** Says whose gaze was moved, how far, and how the offsets were found. */
function offsetSentences({ offsets = [] }: MethodsFacts['parameters'], cite: Cite): string[] {
  if (offsets.length === 0) return []
  const tests = offsets.filter(({ testId }) => testId !== undefined).length
  const whose = [
    ...(offsets.length > tests ? [`of ${countPhrase(offsets.length - tests, 'participant')}`] : []),
    ...(tests > 0 ? [`in ${countPhrase(tests, 'single test')}`] : []),
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
