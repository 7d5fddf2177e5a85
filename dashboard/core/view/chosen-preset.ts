import { DETECTOR_NAMES, IN_DEGREES } from '../../../isomorphic/detector-settings.ts'
import { PRESET_NAMES, type PresetName, withPreset } from '../../../isomorphic/presets.ts'
import { namesFor, type Settings } from './chart-settings.ts'

export const PRESET_LABELS: Record<PresetName, string> = {
  none: 'Any (the defaults)',
  webcam: 'Webcam, about 30 Hz',
  'lab-60': 'Eye tracker, about 60 Hz',
  'lab-500': 'Eye tracker, about 500 Hz',
}

/** Settings of fixations, of any detector. */
const OF_FIXATIONS = [
  'detector',
  ...new Set(DETECTOR_NAMES.flatMap((detector) => namesFor(detector))),
  ...Object.values(IN_DEGREES),
] as const

/** Returns the settings with those of fixations replaced by the defaults and, on top of them, a preset. */
export function chosenPreset(settings: Settings, defaults: Settings, name: PresetName): Settings {
  const own = Object.fromEntries(OF_FIXATIONS.map((each) => [each, defaults[each]]))
  return withPreset({ ...settings, ...own }, name)
}

/** Returns the preset that gives these settings of fixations on top of the defaults; null for none. */
export function presetOf(settings: Settings, defaults: Settings): PresetName | null {
  const bearing = ['detector', ...namesFor(settings.detector), ...Object.values(IN_DEGREES)] as const
  const isIt = (name: PresetName) => {
    const chosen = chosenPreset(settings, defaults, name)
    return bearing.every((each) => chosen[each] === settings[each])
  }
  return PRESET_NAMES.find(isIt) ?? null
}
