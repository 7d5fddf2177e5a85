import { useId } from 'preact/hooks'
import type { PresetName } from '../../../isomorphic/presets.ts'
import { LABELS, type Settings } from '../../core/view/chart-settings.ts'
import { chosenPreset, PRESET_LABELS, presetOf } from '../../core/view/chosen-preset.ts'
import { DETECTOR_LABELS, DETECTOR_WORDS, EYE_LABELS } from '../../core/view/named-settings.ts'
import { Choice } from '../../ui/controls/choice.tsx'
import { Explain } from '../../ui/help/explain.tsx'

type ChoiceProps = { settings: Settings; onChange: (settings: Settings) => void }

/** Draws the choice of the eye, if a study recorded each. */
export function EyeChoice({ settings, onChange }: ChoiceProps) {
  return (
    <Choice
      id={useId()}
      label={LABELS.eye}
      value={settings.eye}
      of={EYE_LABELS}
      onChange={(eye) => onChange({ ...settings, eye })}
    />
  )
}

/** Draws the choice of a preset, which says whether the settings are those of one. */
export function PresetChoice({ settings, defaults, onChange }: ChoiceProps & { defaults: Settings }) {
  const current = presetOf(settings, defaults)
  return (
    <Choice<PresetName | 'own'>
      id={useId()}
      label={LABELS.preset}
      value={current ?? 'own'}
      of={current === null ? { own: 'None of these', ...PRESET_LABELS } : PRESET_LABELS}
      onChange={(name) => name !== 'own' && onChange(chosenPreset(settings, defaults, name))}
    />
  )
}

/** Draws the choice of the detector, which determines the sliders. */
export function DetectorChoice({ settings, onChange }: ChoiceProps) {
  const id = useId()
  return (
    <Choice
      id={id}
      label={LABELS.detector}
      help={<Explain of={DETECTOR_WORDS[settings.detector]} name={DETECTOR_LABELS[settings.detector]} />}
      value={settings.detector}
      of={DETECTOR_LABELS}
      onChange={(detector) => onChange({ ...settings, detector })}
    />
  )
}
