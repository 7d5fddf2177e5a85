import type { FixationsData } from '../../core/api.ts'
import { decimal, wholeText } from '../../core/number-texts.ts'
import { cutWords } from '../captions.ts'
import './settings.css'

/** Draws the main numbers beside those with default settings, over all tests, from the cells of the CSV. */
export function Summary({ data, byDefault }: { data: FixationsData; byDefault: FixationsData | null }) {
  const now = summarize(data)
  const before = byDefault && summarize(byDefault)
  const fact = (label: string, name: keyof typeof now, show: (value: number | null) => string) => (
    <div>
      <dt>{label}</dt>
      <dd>
        {show(now[name])}
        {before !== null && <small>defaults {show(before[name])}</small>}
      </dd>
    </div>
  )
  return (
    <dl class="facts summary">
      {fact('Fixations', 'fixations', (value) => wholeText(value ?? 0))}
      {fact('Mean fixation duration, ms', 'meanMs', decimal)}
      {fact('Total fixation time, s', 'totalS', decimal)}
      {fact('Saccades', 'saccades', (value) => wholeText(value ?? 0))}
      {fact('Mean saccade amplitude, %', 'amplitude', decimal)}
      {cutWords(data) !== '' && (
        <div class="wide-note">
          <dt class="unseen">Fixation duration</dt>
          <dd class="hint">{cutWords(data).trim()}</dd>
        </div>
      )}
    </dl>
  )
}

function summarize({ fixationCount, sums, means }: FixationsData) {
  return {
    fixations: fixationCount,
    meanMs: means.durationMs,
    totalS: sums.durationMs / 1000,
    saccades: sums.saccadeCount,
    amplitude: means.amplitudePercent,
  }
}
