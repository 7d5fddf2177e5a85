import { decimal } from '../../../core/number-texts.ts'
import { Choice } from '../../../ui/controls/choice.tsx'
import { TextInput } from '../../../ui/controls/field.tsx'
import type { TableLook } from './found-table.ts'
import type { Rule } from './mapping-draft.ts'

type RuleFieldProps = {
  column: string | null
  rule: Rule
  thresholds: TableLook['thresholds']
  onChange: (rule: Rule) => void
}

export function RuleField({ column, rule, thresholds, onChange }: RuleFieldProps) {
  if (column === null) return null
  const steps = thresholds.find((one) => one.column === column)?.steps ?? null
  return (
    <div class="field">
      <Choice
        label={`Gaze is valid where ${column} is`}
        value={rule.is}
        of={{ values: 'one of these texts, separated by commas', least: 'at least this number' }}
        onChange={(is) => onChange({ ...rule, is })}
      />
      {rule.is === 'least' && steps !== null && (
        <Threshold column={column} steps={steps} rule={rule} onChange={(text) => onChange({ ...rule, text })} />
      )}
      <TextInput
        aria-label={`Texts or least number of ${column}`}
        value={rule.text}
        onText={(text) => onChange({ ...rule, text: text })}
      />
    </div>
  )
}

type ThresholdProps = {
  column: string
  steps: TableLook['thresholds'][number]['steps']
  rule: Rule
  onChange: (text: string) => void
}

/** Chooses the minimum valid number, and shows the share of gaze that it excludes. */
function Threshold({ column, steps, rule, onChange }: ThresholdProps) {
  const least = rule.text.trim() === '' ? Number.NaN : Number(rule.text)
  const at = steps.findIndex((step) => step.least >= least)
  const chosen = steps[at]
  return (
    <div class="threshold">
      <input
        type="range"
        aria-label={`Least ${column} that is valid`}
        min={0}
        max={steps.length - 1}
        step={1}
        value={Math.max(0, at)}
        aria-valuetext={chosen && `${chosen.least}`}
        onInput={(event) => onChange(String(steps[Number(event.currentTarget.value)].least))}
      />
      <p class="hint" aria-live="polite">
        {chosen === undefined
          ? 'Move the slider to see which share of the gaze would be lost.'
          : `${decimal(chosen.lostPercents)} % of the rows with gaze lie below ${chosen.least}, and count as lost.`}
      </p>
    </div>
  )
}
