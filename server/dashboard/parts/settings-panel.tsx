import { useId } from 'preact/hooks'
import type { ParameterInfo } from '../api.ts'
import { FILTER_NAMES, GRADE_NAME, LABELS, type Settings } from '../chart-settings.ts'
import { GRADES } from '../number-texts.ts'

/** Draws the five filter settings as sliders with their ranges and units. */
export function SettingsPanel({
  parameters,
  settings,
  names = FILTER_NAMES,
  onChange,
}: {
  parameters: ParameterInfo[]
  settings: Settings
  names?: string[]
  onChange: (settings: Settings) => void
}) {
  const shown = parameters.filter(({ name }) => names.includes(name))
  return (
    <div class="sliders">
      {shown.map((parameter) => (
        <Slider
          key={parameter.name}
          parameter={withinBounds(parameter, settings)}
          value={settings[parameter.name]}
          isDefault={settings[parameter.name] === parameter.default}
          onChange={(value) => onChange({ ...settings, [parameter.name]: value })}
        />
      ))}
      <details class="meanings">
        <summary>What they mean</summary>
        <dl>
          {shown.map(({ name, meaning, unit, min, max, default: fallback }) => (
            <div key={name}>
              <dt>{LABELS[name]}</dt>
              <dd>
                {meaning}. {min} to {max} {unit}, {fallback} by default.
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  )
}

/**
 * Returns a parameter within the bounds of its slider: the shortest fixation ends where the longest stands, and the
 * other way round.
 */
function withinBounds(parameter: ParameterInfo, settings: Settings): ParameterInfo {
  if (parameter.name === 'minFixationDurationMs') return { ...parameter, max: settings.maxFixationDurationMs }
  if (parameter.name === 'maxFixationDurationMs') return { ...parameter, min: settings.minFixationDurationMs }
  return parameter
}

function Slider({
  parameter: { name, kind, unit, min, max, meaning, default: fallback },
  value,
  isDefault,
  onChange,
}: {
  parameter: ParameterInfo
  value: number
  isDefault: boolean
  onChange: (value: number) => void
}) {
  const id = useId()
  const set = (text: string) => {
    const next = Number(text)
    const isFine = kind === 'float' || Number.isInteger(next)
    if (text !== '' && next >= min && next <= max && isFine) onChange(next)
  }
  const short = unit.startsWith('%') ? '%/s' : unit
  return (
    <div class="slider">
      <label for={id}>{LABELS[name]}</label>
      <span class="value">
        <input
          type="number"
          aria-label={`${LABELS[name]}, exact value in ${unit}`}
          value={value}
          min={min}
          max={max}
          step={kind === 'float' ? 'any' : 1}
          onInput={(event) => set(event.currentTarget.value)}
        />
        {short}
      </span>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={1}
        value={value}
        title={meaning}
        aria-valuetext={`${value} ${unit}`}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <span class="ends">
        <code>{name}</code>
        <span>
          {min} to {max}
          {!isDefault && `, default ${fallback}`}
        </span>
      </span>
    </div>
  )
}

/** Draws the grade filter: which tests count at all. */
export function GradeFilter({ settings, onChange }: { settings: Settings; onChange: (settings: Settings) => void }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{LABELS[GRADE_NAME]}</label>
      <select
        id={id}
        value={settings[GRADE_NAME]}
        onChange={(event) => onChange({ ...settings, [GRADE_NAME]: Number(event.currentTarget.value) })}
      >
        {[1, 2, 3, 4, 5, 6].map((grade) => (
          <option key={grade} value={grade}>
            {grade === 1 ? '1 – all tests' : `${grade} – ${GRADES[grade]}`}
          </option>
        ))}
      </select>
    </div>
  )
}
