import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { withDegrees } from '../../../isomorphic/detector-settings.ts'
import type { ParameterInfo } from '../../core/api.ts'
import { useIsView } from '../../core/link-seen.ts'
import { GRADES } from '../../core/number-texts.ts'
import {
  defaultsFor,
  GRADE_NAME,
  hasDetector,
  LABELS,
  type NumberInfo,
  namesFor,
  numbersOf,
  type Settings,
  shortUnit,
} from '../../core/view/chart-settings.ts'
import { faultOf } from '../../core/view/chart-view.ts'
import { useHasEyes } from '../../core/view/eyes-seen.ts'
import { useHasDegrees } from '../../core/view/screen-seen.ts'
import { unitsOf } from '../../core/view/threshold-units.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Choice, Select } from '../../ui/controls/choice.tsx'
import { numberOptions } from '../../ui/controls/options.ts'
import { Panel } from '../../ui/controls/panel.tsx'
import { Explain, ExplainParameter } from '../../ui/help/explain.tsx'
import { DetectorChoice, EyeChoice, PresetChoice } from './first-choices.tsx'
import './settings.css'

export type SettingsProps = {
  parameters: ParameterInfo[]
  settings: Settings
  defaults: Settings
  /** Settings that are shown; by default, those of fixations. */
  listed?: readonly string[]
  onChange: (settings: Settings) => void
}

/** Draws the settings as a panel of sliders with a button that restores the defaults; children are drawn below. */
export function SettingsPanel({
  defaults,
  onChange,
  listed = ['gazeVelocityThreshold'],
  children,
  ...sliders
}: SettingsProps & { children?: ComponentChildren }) {
  // A new key clears the text typed into the fields.
  const [resets, setResets] = useState(0)
  const plain = { ...defaultsFor(sliders.settings, defaults), eye: defaults.eye }
  const isPlain = Object.entries(plain).every(([name, value]) => sliders.settings[name as keyof Settings] === value)
  return (
    <Panel
      title="Settings"
      isSettings
      side={
        isPlain ? null : (
          <Button
            class="small"
            onClick={() => {
              onChange(plain)
              setResets(resets + 1)
            }}
          >
            Back to defaults
          </Button>
        )
      }
    >
      {useHasEyes(listed) && <EyeChoice settings={sliders.settings} onChange={onChange} />}
      {hasDetector(listed) && (
        <PresetChoice
          settings={sliders.settings}
          defaults={defaults}
          onChange={(settings) => {
            onChange(settings)
            setResets(resets + 1)
          }}
        />
      )}
      {hasDetector(listed) && <DetectorChoice settings={sliders.settings} onChange={onChange} />}
      <Sliders key={resets} {...sliders} listed={listed} onChange={onChange} />
      {children}
    </Panel>
  )
}

function Sliders({ parameters, settings, listed, onChange }: Omit<SettingsProps, 'defaults'>) {
  const [isOpen, setIsOpen] = useState(false)
  const hasDegrees = useHasDegrees()
  const names: string[] = withDegrees(namesFor(settings.detector, listed), settings)
  const all = numbersOf(parameters).filter(({ name }) => names.includes(name))
  const isDefault = ({ name, default: fallback }: NumberInfo) => settings[name] === fallback
  // Decided once, so that a slider stays where it is while it is moved.
  const [changedAtFirst] = useState(() => all.filter((each) => !isDefault(each)).map(({ name }) => name))
  const hasFirst = all.some(({ name }) => FIRST.includes(name))
  const isFirst = ({ name }: NumberInfo) => !hasFirst || FIRST.includes(name) || changedAtFirst.includes(name)
  const more = all.filter((each) => !isFirst(each))
  const changed = more.filter((each) => !isDefault(each)).length
  const slider = (parameter: NumberInfo) => {
    const units = hasDegrees ? unitsOf(parameter.name) : null
    return (
      <Slider
        // The same slider in either unit, so that the choice of the unit keeps the focus.
        key={units === null ? parameter.name : Object.keys(units[0].change)[0]}
        parameter={withinBounds(parameter, settings)}
        value={settings[parameter.name]}
        isDefault={isDefault(parameter)}
        units={units?.map(({ unit }) => unit)}
        onUnit={(i) => onChange({ ...settings, ...units?.[i].change })}
        onChange={(value) => onChange({ ...settings, [parameter.name]: value })}
      />
    )
  }
  return (
    <div class="sliders">
      {all.filter(isFirst).map(slider)}
      {more.length > 0 && (
        <details class="more-settings" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary>{`${more.length} more, ${changed === 0 ? 'all default' : `${changed} changed`}`}</summary>
          {isOpen && <div class="sliders">{more.map(slider)}</div>}
        </details>
      )}
    </div>
  )
}

/** Settings that are seen before the others are unfolded, besides those that differ from their defaults. */
const FIRST: string[] = [
  'gazeVelocityThreshold',
  'gazeVelocityThresholdDegPerS',
  'dispersionThresholdPercent',
  'dispersionThresholdDeg',
  'adaptiveLambda',
  'i2mcWindowMs',
  'minFixationDurationMs',
  'pupilBaselineFromMs',
  'pupilBaselineToMs',
  'pupilFromMs',
  'pupilToMs',
]

/**
 * Limits a slider by the other, since the minimum fixation duration cannot exceed the maximum, and one in degrees by
 * its first step, since 0 is no degrees but percent.
 */
function withinBounds(parameter: NumberInfo, settings: Settings): NumberInfo {
  if (parameter.unit.startsWith('°')) return { ...parameter, min: stepOf(parameter) }
  if (parameter.name === 'minFixationDurationMs') return { ...parameter, max: settings.maxFixationDurationMs }
  if (parameter.name === 'maxFixationDurationMs') return { ...parameter, min: settings.minFixationDurationMs }
  return parameter
}

function stepOf({ kind, max }: NumberInfo): number {
  return kind === 'float' && max <= 50 ? 0.5 : 1
}

type SliderProps = {
  parameter: NumberInfo
  value: number
  isDefault: boolean
  /** Units of which one can be chosen. */
  units?: string[]
  onUnit: (i: number) => void
  onChange: (value: number) => void
}

function Slider({ parameter, value, isDefault, units, onUnit, onChange }: SliderProps) {
  const { name, unit, min, max, meaning, default: fallback } = parameter
  const range = `${min} to ${max} ${unit}, ${fallback} by default`
  const id = useId()
  // Invalid text of the field; the setting keeps its value.
  const [refused, setRefused] = useState<string | null>(null)
  useEffect(() => setRefused(null), [value])
  const set = (text: string) => {
    const isFine = faultOf(parameter, text) === null
    setRefused(isFine ? null : text)
    if (isFine) onChange(Number(text))
  }
  const short = shortUnit(unit)
  return (
    <div class="slider">
      <span>
        <label for={id}>{LABELS[name]}</label> <ExplainParameter label={LABELS[name]} {...{ name, meaning, range }} />
      </span>
      <span class="value">
        <input
          type="number"
          aria-label={`${LABELS[name]}, exact value in ${unit}`}
          aria-invalid={refused !== null}
          aria-describedby={refused === null ? undefined : `${id}-refused`}
          value={refused ?? value}
          step="any"
          inputMode="decimal"
          onInput={({ currentTarget: field }) => set(field.validity.badInput ? 'not a number' : field.value)}
        />
        {units === undefined ? (
          short
        ) : (
          <Select
            aria-label={`${LABELS[name]}, unit`}
            value={short}
            of={units.map((each) => [each, each] as const)}
            onChange={(unit) => onUnit(units.indexOf(unit))}
          />
        )}
      </span>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={stepOf(parameter)}
        value={value}
        title={meaning}
        aria-valuetext={`${value} ${unit}`}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {refused !== null && <RefusedText id={`${id}-refused`} {...{ parameter, refused, value }} />}
      {!isDefault && <span class="ends">{`default ${fallback} ${short}`}</span>}
    </div>
  )
}

type RefusedTextProps = { id: string; parameter: NumberInfo; refused: string; value: number }

/** Says why a text is no value of a setting, and which value the charts have. */
function RefusedText({ id, parameter, refused, value }: RefusedTextProps) {
  const { name, unit, ...bounds } = parameter
  const short = shortUnit(unit)
  return (
    <p class="refused" id={id} role="alert">
      {LABELS[name]} {faultOf({ ...bounds, unit: short }, refused)}. {refused === '' ? 'Nothing' : refused} is not
      valid; the charts still show {value} {short}.
    </p>
  )
}

/** Draws the minimum quality grade, which decides which tests count. */
export function GradeFilter({ settings, onChange }: { settings: Settings; onChange: (settings: Settings) => void }) {
  if (useIsView()) return null
  return (
    <GradeChoice least={settings[GRADE_NAME]} onChange={(grade) => onChange({ ...settings, [GRADE_NAME]: grade })} />
  )
}

type GradeChoiceProps = { least: number; isInline?: boolean; onChange: (grade: number) => void }

/** Draws the choice of a grade that tests have at least. */
export function GradeChoice({ least, isInline, onChange }: GradeChoiceProps) {
  const id = useId()
  return (
    <Choice
      {...{ id, isInline, onChange }}
      label={LABELS[GRADE_NAME]}
      help={<Explain of="quality grade" name="Quality grade" />}
      value={least}
      of={numberOptions([1, 2, 3, 4, 5, 6], (grade) => `${grade} – ${grade === 1 ? 'all tests' : GRADES[grade]}`)}
    />
  )
}
