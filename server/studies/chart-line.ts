import { ServiceError } from '../../engine/model/errors.ts'

/** Charts' data, computed while somebody looks: a few at once, a short line, equal ones together, the last ones kept. */
export type ChartLine = {
  /**
   * @param key equal keys have equal answers
   * @param work computes the JSON text; its signal aborts when nobody waits for it any more
   * @throws ServiceError overloaded when the line is full, canceled when `signal` aborts
   */
  answer: (key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<string>) => Promise<string>
}

const KEPT_CHARACTERS_MAX = 32 * 2 ** 20
const LINE_MAX = 64

/** @param concurrency charts computed at once */
export function openChartLine(concurrency: number): ChartLine {
  const kept = new Map<string, string>()
  const running = new Map<string, { promise: Promise<string>; clients: number; stop: AbortController }>()
  const line: (() => void)[] = []
  let keptCharacters = 0
  let places = concurrency

  function keep(key: string, text: string): void {
    kept.set(key, text)
    keptCharacters += text.length
    for (const [oldest, { length }] of kept) {
      if (keptCharacters <= KEPT_CHARACTERS_MAX) break
      kept.delete(oldest)
      keptCharacters -= length
    }
  }

  async function takePlace(): Promise<void> {
    if (places > 0) {
      places--
      return
    }
    if (line.length >= LINE_MAX) throw new ServiceError('overloaded', 'too many charts are wanted at once')
    await new Promise<void>((resolve) => line.push(resolve))
  }

  /** The place is handed over to the next in line. */
  function leavePlace(): void {
    const next = line.shift()
    if (next === undefined) places++
    else next()
  }

  async function compute(signal: AbortSignal, work: (signal: AbortSignal) => Promise<string>): Promise<string> {
    await takePlace()
    try {
      if (signal.aborted) throw new ServiceError('canceled', 'nobody waits for the chart any more')
      return await work(signal)
    } finally {
      leavePlace()
    }
  }

  function begin(key: string, work: (signal: AbortSignal) => Promise<string>) {
    const stop = new AbortController()
    const entry = { promise: compute(stop.signal, work), clients: 0, stop }
    running.set(key, entry)
    const forget = () => {
      if (running.get(key) === entry) running.delete(key)
    }
    entry.promise.then((text) => {
      forget()
      if (!stop.signal.aborted) keep(key, text)
    }, forget)
    return entry
  }

  return {
    answer: async (key, signal, work) => {
      const known = kept.get(key)
      if (known !== undefined) {
        // Set anew, the latest use is the map's last entry.
        kept.delete(key)
        kept.set(key, known)
        return known
      }
      const entry = running.get(key) ?? begin(key, work)
      entry.clients++
      const leave = () => {
        entry.clients--
        if (entry.clients > 0) return
        // An equal request that comes from now on must not join what is being stopped.
        if (running.get(key) === entry) running.delete(key)
        entry.stop.abort()
      }
      signal.addEventListener('abort', leave)
      try {
        return await entry.promise
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },
  }
}
