/**
 * Columns of samples that a tracker records of each eye, by their names in bundles, in the order of output. All are
 * optional; pupils are in the unit of the study's recording.
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

/** The two coordinates of each eye's gaze: a position with one of them is none. */
export const EYE_PAIRS = [
  ['leftGazeXPx', 'leftGazeYPx'],
  ['rightGazeXPx', 'rightGazeYPx'],
] as const

/** Columns of samples for each eye, NaN for lost gaze; absent if not recorded or not requested. */
export type Eyes = Partial<Record<EyeColumn, Float64Array>>

/**
 * The gaze that files and charts are computed from: as recorded, the mean of both eyes where both are there, that of
 * one eye, or the mean of those that are there.
 */
export const EYES = ['recorded', 'both', 'left', 'right', 'either'] as const
export type Eye = (typeof EYES)[number]
/** An eye that has to be chosen: without a choice, the gaze is as recorded. */
export type ChosenEye = Exclude<Eye, 'recorded'>
export const EYE_MEANING =
  'Gaze to use, in studies that recorded each eye: as recorded, the mean of both eyes if both are valid, one eye, or the mean of the valid eyes'

/** Returns the columns of gaze that a choice of eyes needs. */
export function columnsOfEye(eye: ChosenEye): EyeColumn[] {
  const [left, right] = EYE_PAIRS
  return eye === 'left' ? [...left] : eye === 'right' ? [...right] : [...left, ...right]
}

/** Returns the columns of eyes that any sample of a snapshot has, in the order of output. */
export function recordedEyes({ sampleFiles }: { sampleFiles: { eyes?: EyeColumn[] }[] }): EyeColumn[] {
  const found = new Set(sampleFiles.flatMap(({ eyes = [] }) => eyes))
  return EYE_COLUMN_NAMES.filter((column) => found.has(column))
}

/** Returns the reason why a study with some columns of eyes has no gaze of a choice of them; null where it has. */
export function eyeRule(eye: ChosenEye, recorded: EyeColumn[]): string | null {
  const [hasLeft, hasRight] = EYE_PAIRS.map((pair) => pair.every((column) => recorded.includes(column)))
  if (!hasLeft && !hasRight) return 'must be left out, since the study has no gaze of single eyes'
  return sideRule(eye, hasLeft, hasRight, 'gaze')
}

/** Returns the reason why a study with some columns of eyes has no pupil of a choice of them; null where it has. */
export function pupilRule(eye: ChosenEye, recorded: EyeColumn[]): string | null {
  const [hasLeft, hasRight] = [recorded.includes('leftPupil'), recorded.includes('rightPupil')]
  if (!hasLeft && !hasRight) return 'must be left out, since the study has no pupils'
  return sideRule(eye, hasLeft, hasRight, 'pupil')
}

/** Returns the reason why one side is not enough for a choice; null where it is. */
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
