/**
 * Columns of samples that a tracker records for each eye, by their names in bundles, in the order of output. All are
 * optional; the study's recording gives the unit of pupils.
 */
export const EYE_COLUMNS = {
  leftGazeXPx: 'left_gaze_x_px',
  leftGazeYPx: 'left_gaze_y_px',
  rightGazeXPx: 'right_gaze_x_px',
  rightGazeYPx: 'right_gaze_y_px',
  leftPupil: 'left_pupil',
  rightPupil: 'right_pupil',
  leftEyeDistanceMm: 'left_eye_distance_mm',
  rightEyeDistanceMm: 'right_eye_distance_mm',
} as const
export type EyeColumn = keyof typeof EYE_COLUMNS
export type EyeName = (typeof EYE_COLUMNS)[EyeColumn]

export const EYE_COLUMN_NAMES = Object.keys(EYE_COLUMNS) as EyeColumn[]
export const EYE_NAMES = Object.values(EYE_COLUMNS)

/** The two coordinates of each eye's gaze; a position with only one of them is missing. */
export const EYE_PAIRS = [
  ['leftGazeXPx', 'leftGazeYPx'],
  ['rightGazeXPx', 'rightGazeYPx'],
] as const

/** Columns of samples for each eye, NaN for lost gaze; absent if not recorded or not requested. */
export type Eyes = Partial<Record<EyeColumn, Float64Array>>

/**
 * Choices of gaze for files and charts: as recorded, the mean of both eyes if both are valid, one eye, or the mean of
 * the valid eyes.
 */
export const EYES = ['recorded', 'both', 'left', 'right', 'either'] as const
type Eye = (typeof EYES)[number]
/** A choice other than the recorded gaze. */
export type ChosenEye = Exclude<Eye, 'recorded'>

/** Returns the gaze columns that a choice of eyes needs. */
export function columnsOfEye(eye: ChosenEye): EyeColumn[] {
  const [left, right] = EYE_PAIRS
  return eye === 'left' ? [...left] : eye === 'right' ? [...right] : [...left, ...right]
}

/** Returns the columns of eyes with a value in any sample of a snapshot, in the order of output. */
export function recordedEyes({ sampleFiles }: { sampleFiles: { eyes?: EyeColumn[] }[] }): EyeColumn[] {
  const found = new Set(sampleFiles.flatMap(({ eyes = [] }) => eyes))
  return EYE_COLUMN_NAMES.filter((column) => found.has(column))
}

/** Returns the reason why a study with these columns of eyes lacks the gaze of a choice; null if it has it. */
export function eyeRule(eye: ChosenEye, recorded: EyeColumn[]): string | null {
  const [hasLeft, hasRight] = EYE_PAIRS.map((pair) => pair.every((column) => recorded.includes(column)))
  if (!hasLeft && !hasRight) return 'must be left out, since the study has no gaze of single eyes'
  return sideRule(eye, hasLeft, hasRight, 'gaze')
}

/** Returns the reason why a study with these columns of eyes lacks the pupil of a choice; null if it has it. */
export function pupilRule(eye: ChosenEye, recorded: EyeColumn[]): string | null {
  const [hasLeft, hasRight] = [recorded.includes('leftPupil'), recorded.includes('rightPupil')]
  if (!hasLeft && !hasRight) return 'must be left out, since the study has no pupils'
  return sideRule(eye, hasLeft, hasRight, 'pupil')
}

/** Returns the reason why one eye is not enough for a choice; null if it is. */
function sideRule(eye: ChosenEye, hasLeft: boolean, hasRight: boolean, what: string): string | null {
  const lacksLeft = !hasLeft && (eye === 'left' || eye === 'both')
  const lacksRight = !hasRight && (eye === 'right' || eye === 'both')
  if (!lacksLeft && !lacksRight) return null
  const [there, gone] = lacksLeft ? ['right', 'left'] : ['left', 'right']
  return `must be recorded, ${there} or either, since the study has no ${what} of the ${gone} eye`
}

/** Units of pupil sizes, as study.json names them. */
export const PUPIL_UNITS = ['mm', 'px', 'diameter_au', 'area_au'] as const
export type PupilUnit = (typeof PUPIL_UNITS)[number]
