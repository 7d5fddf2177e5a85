import { type DetectorName, IN_DEGREES } from './detector-settings.ts'

/** Settings of a preset: those of its detector, and of merging. */
type Preset = { detector?: DetectorName } & Record<string, number | DetectorName>

/**
 * Settings of fixations by kind of recording, which docs/detectors.md, "Presets", accounts for; the first changes
 * nothing.
 */
const PRESETS = {
  none: {},
  webcam: {
    detector: 'velocity',
    movingMedianRangeMs: 100,
    gazeVelocityThreshold: 150,
    minFixationDurationMs: 60,
    maxFixationDurationMs: 1000,
    mergeGapMs: 75,
    mergeDistancePercent: 3,
  },
  'lab-60': {
    detector: 'velocity',
    movingMedianRangeMs: 20,
    gazeVelocityThreshold: 80,
    minFixationDurationMs: 60,
    maxFixationDurationMs: 1000,
    mergeGapMs: 75,
    mergeDistancePercent: 1.5625,
  },
  'lab-500': { detector: 'adaptive', adaptiveLambda: 6, minFixationDurationMs: 60, mergeGapMs: 0 },
} satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[]

/** Returns the settings of a preset; none for another name. */
export function settingsOfPreset(name: string | undefined): Preset {
  return PRESET_NAMES.some((each) => each === name) ? PRESETS[name as PresetName] : {}
}

/**
 * Returns settings with those of a preset. A threshold in percent that the preset gives replaces the one in degrees, so
 * that is 0 then.
 */
export function withPreset<T extends object>(settings: T, name: PresetName): T {
  const chosen = settingsOfPreset(name)
  const replaced = Object.entries(IN_DEGREES).filter(([percent]) => percent in chosen)
  return { ...settings, ...Object.fromEntries(replaced.map(([, degrees]) => [degrees, 0])), ...chosen }
}
