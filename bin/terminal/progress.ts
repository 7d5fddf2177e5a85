/** A progress line that is rewritten in place on a terminal, and absent elsewhere and on a dumb terminal. */
type ProgressLine = { show: (share: number, text: string) => void; done: () => void }

const BAR_CELLS = 24
const REDRAW_MS = 100

/**
 * Returns a progress line that is rewritten in place on a terminal and silent elsewhere.
 *
 * @param stream usually standard error, so that the CSV can go to standard output
 */
export function progressLine(label: string, stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  let drawnAt = Number.NEGATIVE_INFINITY
  let drawn = false
  return {
    show: (share, text) => {
      const now = performance.now()
      if (!stream.isTTY || process.env.TERM === 'dumb' || now - drawnAt < REDRAW_MS) return
      drawnAt = now
      drawn = true
      const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR_CELLS)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}`
      const line = `${label} ${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${text}`
      stream.write(`\r\x1b[K${line.slice(0, (stream.columns || 80) - 1)}`)
    },
    done: () => {
      if (drawn) stream.write('\r\x1b[K')
    },
  }
}

/** Formats a size in powers of a thousand: "1.2 MB", "950 kB". */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
