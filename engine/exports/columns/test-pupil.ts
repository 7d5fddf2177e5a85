import { createPupil, measurePupil, type Pupil, type RecordedPupils } from '../../compute/pupils/pupil.ts'
import { recordedPupils } from '../../compute/pupils/recorded-pupils.ts'
import type { EyeColumn } from '../../model/eye-columns.ts'
import { defaultParameters, type ParameterName } from '../../model/parameters.ts'
import type { Plan } from '../../model/plan.ts'
import type { SampleColumn } from '../../snapshot/read-samples.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** Settings of blink detection, the first steps. */
export const BLINK_SETTINGS: ParameterName[] = ['pupilMinMm', 'pupilMaxMm', 'blinkMinMs', 'blinkMaxMs']

/** Settings of the size of pupils: docs/pupils.md, steps 2 to 9. */
export const PUPIL_SIZE_SETTINGS: ParameterName[] = [
  ...BLINK_SETTINGS,
  'pupilSpeedMad',
  'pupilPadMs',
  'pupilIslandMs',
  'pupilGapMs',
  'pupilSmoothingMs',
]

/** Settings of pupils: docs/pupils.md. */
export const PUPIL_SETTINGS: ParameterName[] = [...PUPIL_SIZE_SETTINGS, 'pupilBaselineFromMs', 'pupilBaselineToMs']

export const PUPIL_COLUMNS: SampleColumn[] = ['leftPupil', 'rightPupil']

/** Returns whether a study has pupils. @param eyes its recorded columns of each eye */
export function includesPupils(eyes: readonly EyeColumn[]): boolean {
  return eyes.some((column) => PUPIL_COLUMNS.includes(column))
}

export const PUPIL_UNIT = "pupilUnit of the study's recording"

type MeasuredPupil = { recorded: RecordedPupils; pupil: Pupil }

/** Scratch memory of a thread, which computes one test at a time. */
const pupil = createPupil()
/** The pupil that was computed last, since each epoch of a test has the same. */
let last: { run: TestRun; plan: Plan; measured: MeasuredPupil | null } | null = null

/** Computes the pupil of a test: docs/pupils.md. The next test overwrites the result; null if no size was recorded. */
export function pupilOf(run: TestRun, { plan, facts }: ExportContext): MeasuredPupil | null {
  if (last?.run === run && last.plan === plan) return last.measured
  const recorded = recordedPupils(run.samples)
  if (recorded !== null) {
    const settings = { ...defaultParameters(), ...plan.parameters }
    measurePupil(recorded, facts.recording?.pupilUnit === 'mm', plan.parameters.eye ?? 'either', settings, pupil)
  }
  last = { run, plan, measured: recorded && { recorded, pupil } }
  return last.measured
}
