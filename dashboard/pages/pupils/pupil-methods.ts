import { isolate } from '../../core/number-texts.ts'
import type { Settings } from '../../core/view/chart-settings.ts'
import { EYE_LABELS } from '../../core/view/named-settings.ts'

export type PupilFacts = { event: string | null; settings: Settings; unit: string | null }

/** Describes how the pupils of a test were cleaned, with their baseline. */
export function cleaningOf({ event, settings, unit }: PupilFacts): string {
  const { pupilPadMs, pupilGapMs, pupilSmoothingMs, pupilSpeedMad, pupilIslandMs, eye } = settings
  const { pupilBaselineFromMs: from, pupilBaselineToMs: to, pupilMinMm, pupilMaxMm } = settings
  const range = unit === 'mm' ? `sizes outside ${pupilMinMm} to ${pupilMaxMm} mm, ` : ''
  const speed =
    pupilSpeedMad === 0 ? '' : `changes faster than the median speed plus ${pupilSpeedMad} median absolute deviations, `
  const since = event === null ? 'item onset' : `the event ${isolate(event)}`
  const whose = eye === 'recorded' ? '' : ` (${(EYE_LABELS[eye] ?? eye).toLowerCase()})`
  return [
    `Of pupil sizes${whose}, ${range}blinks (Hershman et al., 2018), ${speed}sizes within ${pupilPadMs} ms of a gap, and runs shorter than ${pupilIslandMs} ms were removed (Kret and Sjak-Shie, 2019).`,
    `Gaps of up to ${pupilGapMs} ms were interpolated linearly${pupilSmoothingMs === 0 ? '' : `, and sizes smoothed by a moving mean over ${pupilSmoothingMs} ms`}.`,
    `The baseline is the median size from ${from} to ${to} ms from ${since} (Mathôt and Vilotijević, 2023).`,
  ].join(' ')
}

/** Describes how pupils were averaged. */
export function averagingOf(facts: PupilFacts): string {
  return `${cleaningOf(facts)} Averages are over participants, in bins of ${facts.settings.pupilBinMs} ms; intervals are by Student's t.`
}
