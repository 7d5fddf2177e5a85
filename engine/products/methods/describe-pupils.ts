import { GAP_US, PADDED_MAX_US } from '../../compute/pupils/clean-eye.ts'
import { isSeen } from './describe-quality.ts'
import type { MethodsFacts } from './methods-facts.ts'
import { type Cite, countPhrase } from './phrases.ts'

/**
 * Describes the steps of pupil sizes (docs/pupils.md) that changed any, with their settings; empty if the plan has
 * none, or if no size was measured.
 */
export function pupilSentences(facts: MethodsFacts, cite: Cite): string[] {
  const { parameters, measured } = facts
  const sizes = measured?.pupils
  if (!sizes || sizes.recorded === 0) return []
  const { pupilMinMm, pupilMaxMm, blinkMinMs, pupilSpeedMad, pupilPadMs, pupilIslandMs } = parameters
  const { pupilGapMs, pupilSmoothingMs, pupilBaselineFromMs, pupilBaselineToMs, eye } = parameters
  const hasBoth = isSeen(facts, 'leftPupil') && isSeen(facts, 'rightPupil')
  const gapMs = GAP_US / 1000
  const removed = [
    ...(sizes.range ? [`${sizes.range} below ${pupilMinMm} mm or above ${pupilMaxMm} mm`] : []),
    ...(sizes.eyelid
      ? [
          `${sizes.eyelid} while an eyelid closed or opened around gaps of at least ${blinkMinMs} ms (${cite('hershman2018')})`,
        ]
      : []),
    ...(sizes.speed
      ? [`${sizes.speed} that changed faster than the median speed plus ${pupilSpeedMad} median absolute deviations`]
      : []),
    ...(sizes.padding
      ? [`${sizes.padding} less than ${pupilPadMs} ms from a gap of ${gapMs} to ${PADDED_MAX_US / 1000} ms`]
      : []),
    ...(sizes.island
      ? [`${sizes.island} in runs shorter than ${pupilIslandMs} ms between gaps of at least ${gapMs} ms`]
      : []),
  ]
  const one = eye === 'left' || eye === 'right' ? `that of the ${eye} eye` : null
  const mean =
    eye === 'both'
      ? 'the mean of both eyes, at times when both have a size'
      : `the mean of both eyes or, where one has no size, that of the other, corrected by half the difference between the eyes`
  const window = `${pupilBaselineFromMs} to ${pupilBaselineToMs} ms from item onset`
  return [
    removed.length === 0
      ? `Of ${countPhrase(sizes.recorded, 'pupil size')}, none was removed (steps after ${cite('kret2019')}).`
      : `Of ${countPhrase(sizes.recorded, 'pupil size')}, these were removed, in this order and for each eye (steps after ${cite('kret2019')}): ${removed.join('; ')}.`,
    ...(sizes.interpolated
      ? [
          `In gaps of at most ${pupilGapMs} ms, ${countPhrase(sizes.interpolated, 'size')} ${sizes.interpolated === 1 ? 'was' : 'were'} interpolated linearly.`,
        ]
      : []),
    ...(hasBoth || one ? [`The pupil is ${one ?? mean}.`] : []),
    ...(pupilSmoothingMs ? [`It was smoothed by a moving mean over ${pupilSmoothingMs} ms.`] : []),
    `The baseline of a test is the median of its sizes at ${window}, which is subtracted (${cite('mathot2023')}).`,
  ]
}
