import type { FixationsData } from '../api.ts'
import { count, decimal } from '../number-texts.ts'
import { Loading } from './states.tsx'

/** Draws the numbers that a slider changes, beside those of the defaults. */
export function Summary({
  data,
  byDefault,
  drawnMs,
}: {
  data: FixationsData | null
  byDefault: FixationsData | null
  drawnMs: number | null
}) {
  if (data === null) return <Loading what="fixations" />
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
    <dl class="facts summary" data-drawn-ms={drawnMs ?? undefined}>
      {fact('Fixations', 'fixations', (value) => count(value ?? 0))}
      {fact('Mean duration, ms', 'meanMs', decimal)}
      {fact('Fixation time, s', 'totalS', decimal)}
      {fact('Saccades', 'saccades', (value) => count(value ?? 0))}
      {fact('Mean amplitude, %', 'amplitude', decimal)}
    </dl>
  )
}

/** Returns the numbers of the listed fixations, which are all except in very large items. */
function summarize({ tests, fixationCount }: FixationsData) {
  const all = tests.flatMap(({ fixations }) => fixations)
  const totalMs = all.reduce((sum, [, , startMs, endMs]) => sum + endMs - startMs, 0)
  const saccades = all.filter(([, , , , , amplitude]) => amplitude !== null)
  const amplitudes = saccades.reduce((sum, [, , , , , amplitude]) => sum + (amplitude ?? 0), 0)
  return {
    fixations: fixationCount,
    meanMs: all.length === 0 ? null : totalMs / all.length,
    totalS: totalMs / 1000,
    saccades: saccades.length,
    amplitude: saccades.length === 0 ? null : amplitudes / saccades.length,
  }
}
