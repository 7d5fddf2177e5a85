import type { Tally } from './client.ts'
import type { Outcome } from './run.ts'

/** The table of a report: each fault, how often, what comes through it, and how long until all worked as before. */
export function report(outcomes: Outcome[]): string {
  const lines: string[] = ['']
  for (const mode of new Set(outcomes.map((outcome) => outcome.mode))) {
    const ours = outcomes.filter((outcome) => outcome.mode === mode)
    const kills = ours.reduce((sum, outcome) => sum + outcome.kills, 0)
    lines.push(`${mode}: ${kills} kills, seeds ${ours.map(({ seed }) => seed).join(' ')}`)
    lines.push(
      '| fault | times (in a job) | what survives | recovered after, median | longest |',
      '|---|---|---|---|---|',
    )
    for (const { name, survives } of ours[0].strikes) {
      const same = ours.flatMap(({ strikes }) => strikes.filter((strike) => strike.name === name))
      const times = same.reduce((sum, strike) => sum + strike.times, 0)
      const inJob = same.reduce((sum, strike) => sum + strike.timesInJob, 0)
      const sorted = same.flatMap(({ recoveriesMs }) => recoveriesMs).sort((a, b) => a - b)
      const [median, longest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(seconds)
      const kinds = new Map<string, number>()
      for (const strike of same)
        for (const [kind, n] of Object.entries(strike.kinds)) kinds.set(kind, (kinds.get(kind) ?? 0) + n)
      const which = [...kinds].map(([kind, n]) => `${kind} ${n}`).join(', ')
      lines.push(
        `| ${name}${which && ` (${which})`} | ${times}${inJob > 0 ? ` (${inJob})` : ''} | ${survives} | ${median} | ${longest} |`,
      )
    }
    const published = ours.reduce((sum, outcome) => sum + outcome.published, 0)
    lines.push(`clients: ${tallied(ours.map(({ tally }) => tally))}, files at the end: ${published}`)
    lines.push(`wrong: ${ours.flatMap(({ tally }) => tally.wrong).join('\n  ') || 'nothing'}`, '')
  }
  return lines.join('\n')
}

function tallied(tallies: Tally[]): string {
  const names = Object.keys(tallies[0]).filter((name) => name !== 'wrong') as Exclude<keyof Tally, 'wrong'>[]
  return names.map((name) => `${name} ${tallies.reduce((sum, tally) => sum + tally[name], 0)}`).join(', ')
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '–' : `${(ms / 1000).toFixed(1)} s`
}
