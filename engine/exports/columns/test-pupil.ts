import { createPupil, measurePupil, type Pupil, type RecordedPupils } from '../../compute/pupils/pupil.ts'
import { recordedPupils } from '../../compute/pupils/recorded-pupils.ts'
import type { EyeColumn } from '../../model/eye-columns.ts'
import { defaultParameters, type ParameterName } from '../../model/parameters.ts'
import type { SampleColumn } from '../../snapshot/read-samples.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** Settings of blink detection, the first steps. */
export const BLINK_SETTINGS: ParameterName[] = ['pupilMinMm', 'pupilMaxMm', 'blinkMinMs', 'blinkMaxMs']

/** Settings of pupils: docs/pupils.md. */
export const PUPIL_SETTINGS: ParameterName[] = [
  ...BLINK_SETTINGS,
  'pupilSpeedMad',
  'pupilPadMs',
  'pupilIslandMs',
  'pupilGapMs',
  'pupilSmoothingMs',
  'pupilBaselineFromMs',
  'pupilBaselineToMs',
]

export const PUPIL_COLUMNS: SampleColumn[] = ['leftPupil', 'rightPupil']

/** Returns whether a study has pupils. @param eyes its recorded columns of each eye */
export function hasPupils(eyes: readonly EyeColumn[]): boolean {
  return eyes.some((column) => PUPIL_COLUMNS.includes(column))
}

export const PUPIL_UNIT = "pupilUnit of the study's recording"

/** Scratch memory of a thread, which computes one test at a time. */
const pupil = createPupil()

/** Computes the pupil of a test: docs/pupils.md. The next call overwrites the result; null if no size was recorded. */
export function pupilOf(
  { samples }: TestRun,
  { plan, facts }: ExportContext,
): { recorded: RecordedPupils; pupil: Pupil } | null {
  const recorded = recordedPupils(samples)
  if (recorded === null) return null
  const settings = { ...defaultParameters(), ...plan.parameters }
  measurePupil(recorded, facts.recording?.pupilUnit === 'mm', plan.parameters.eye ?? 'either', settings, pupil)
  return { recorded, pupil }
}
