/** Roles of a column. */
export const COLUMN_ROLES = {
  participant: 'participant',
  item: 'item',
  trial: 'trial',
  time: 'time',
  x: 'gaze x',
  y: 'gaze y',
  x2: 'gaze x of the other eye',
  y2: 'gaze y of the other eye',
  valid: 'validity of gaze',
  valid2: 'validity of the other eye',
  rows: 'marker of sample rows',
  leftPupil: 'pupil of the left eye',
  rightPupil: 'pupil of the right eye',
  leftDistance: 'distance of the left eye, mm',
  rightDistance: 'distance of the right eye, mm',
  events: 'messages or markers',
  mouseX: 'mouse x',
  mouseY: 'mouse y',
  scroll: 'scroll position, px',
  click: 'click',
  tag: 'a tag of the participant',
  external: 'external data of the participant',
} as const
export type Role = keyof typeof COLUMN_ROLES

/** Roles that several columns may have. */
export const MANY: Role[] = ['tag', 'external']

export const TIME_UNITS = { s: 's', ms: 'ms', us: 'µs', ns: 'ns', iso: 'a date, or a time of day' } as const
export const UNITS = { px: 'px', fraction: 'fractions of the screen, 0 to 1', percent: '% of the screen' } as const
export const GAZE_UNITS = {
  ...UNITS,
  norm: 'PsychoPy’s norm: −1 to 1',
  height: 'PsychoPy’s height: shares of the height',
  deg: 'degrees of visual angle',
} as const
/** Units that count from the middle of the screen. */
export const CENTRED_UNITS: string[] = ['norm', 'height', 'deg']
export const ORIGINS = {
  'top-left': 'at the upper left, y downwards',
  'bottom-left': 'at the lower left, y upwards',
  'center-y-down': 'in the middle, y downwards',
  'center-y-up': 'in the middle, y upwards',
} as const
export const PUPIL_UNIT_NAMES = {
  '': 'an unknown unit',
  mm: 'mm',
  px: 'px',
  diameter_au: 'diameters in arbitrary units',
  area_au: 'areas in arbitrary units',
} as const
export type PupilUnitChoice = keyof typeof PUPIL_UNIT_NAMES
export type Unit = keyof typeof UNITS
export type CoordinateOrigin = keyof typeof ORIGINS
