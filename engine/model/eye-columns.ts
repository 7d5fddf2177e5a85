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

/** Columns of some samples by eye, NaN where lost; one that is not there was not recorded, or not asked for. */
export type Eyes = Partial<Record<EyeColumn, Float64Array>>

/** Units of pupil sizes, as study.json names them. */
export const PUPIL_UNITS = ['mm', 'px', 'diameter_au', 'area_au'] as const
export type PupilUnit = (typeof PUPIL_UNITS)[number]
