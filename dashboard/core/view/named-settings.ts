import type { DetectorName } from '../../../isomorphic/detector-settings.ts'

export const DETECTOR_LABELS: Record<DetectorName, string> = {
  velocity: 'Velocity threshold (I-VT)',
  dispersion: 'Dispersion (I-DT)',
  adaptive: 'Adaptive velocity threshold',
  i2mc: '2-means clustering (I2MC)',
}

export const EYE_LABELS: Record<string, string> = {
  recorded: 'As recorded',
  both: 'Mean of both eyes',
  left: 'Left eye',
  right: 'Right eye',
  either: 'Mean of the valid eyes',
}

export const LINE_LABELS: Record<string, string> = {
  'as-recorded': 'As recorded, not moved',
  attach: 'Nearest line (attach)',
  chain: 'Chains (chain)',
  cluster: 'k-means of heights (cluster)',
  segment: 'Return sweeps (segment)',
  slice: 'Growing lines (slice)',
  split: 'Return sweeps by k-means (split)',
  warp: 'Dynamic time warping (warp)',
  vote: 'Majority of five (vote)',
}

export const READING_START_LABELS: Record<string, string> = {
  'first-fixation': 'The first fixation',
  'first-line': 'The first fixation on the first line',
  'first-word': 'The first fixation on the first word',
}

/** Glossary terms of the detectors. */
export const DETECTOR_WORDS: Record<DetectorName, string> = {
  velocity: 'I-VT',
  dispersion: 'I-DT',
  adaptive: 'adaptive detector',
  i2mc: 'I2MC',
}

/** Settings with a value by name, besides the detector. */
export const NAMED = { eye: EYE_LABELS, lines: LINE_LABELS, readingFrom: READING_START_LABELS }
