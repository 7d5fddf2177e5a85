/** The names of all exports: apart from the registry, with which all that computes them is loaded. */
export const EXPORT_NAMES = [
  'gazes-raw',
  'gazes-normalized',
  'gazes-split',
  'mouse',
  'fixations',
  'aoi-overall-stats',
  'aoi-fixations-stats',
  'aoi-fixations-order',
  'aoi-clicks-stats',
  'keyboard-mouse-overall',
  'quality-stats',
  'fixations-aois',
  'gazes-aois',
  'gazes-aois-binned',
  'saccades',
  'aoi-transitions',
  'aoi-visits',
  'participants-wide',
  'samples',
  'events',
  'pupils',
  'pupil-stats',
  'blinks',
  'reading',
] as const

export type ExportName = (typeof EXPORT_NAMES)[number]
