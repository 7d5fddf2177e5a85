/**
 * A clock that stands still while anybody computes: timers and answers of the store come in the order of their time.
 */
export type Timeline = {
  nowMs: () => number
  /** Schedules work for later. @returns what takes it back */
  after: (ms: number, run: () => void) => () => void
  /** Runs until so much time has passed, or something is true. */
  runUntil: (isOver: () => boolean, forMs: number) => Promise<boolean>
  close: () => void
}

const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
}
const STARTS_AT_MS = real.Date.UTC(2026, 0, 1)

/** Events that are run before Node looks for others than ours. */
const AT_ONCE = 64

let present: Timeline | null = null

/** Takes the place of `setTimeout` of node:timers/promises. */
export function sleep(ms: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = present!.after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve(value)
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Begins a time of its own, which Date, timers and performance tell until it is closed. */
export function openTimeline(): Timeline {
  type Event = { atMs: number; order: number; run: (() => void) | null }
  const heap: Event[] = []
  let nowMs = 0
  let order = 0
  const isBefore = (a: Event, b: Event) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
  function push(event: Event): void {
    let i = heap.push(event) - 1
    for (let up = (i - 1) >> 1; i > 0 && isBefore(event, heap[up]); i = up, up = (i - 1) >> 1) heap[i] = heap[up]
    heap[i] = event
  }
  function pop(): Event {
    const top = heap[0]
    const last = heap.pop()!
    if (heap.length > 0) {
      let i = 0
      for (let down = 1; down < heap.length; down = 2 * i + 1) {
        if (down + 1 < heap.length && isBefore(heap[down + 1], heap[down])) down++
        if (!isBefore(heap[down], last)) break
        heap[i] = heap[down]
        i = down
      }
      heap[i] = last
    }
    return top
  }
  function after(ms: number, run: () => void): () => void {
    const event: Event = { atMs: nowMs + Math.max(0, ms), order: order++, run }
    push(event)
    return () => {
      event.run = null
    }
  }
  /** Runs what comes next. Between two immediates Node lets everything that has been answered go on. */
  function runUntil(isOver: () => boolean, forMs: number): Promise<boolean> {
    const endMs = nowMs + forMs
    return new Promise((resolve, reject) => {
      let isDone = false
      const finish = (isReached: boolean) => {
        isDone = true
        if (!isReached) nowMs = endMs
        resolve(isReached)
      }
      const step = () => {
        if (isDone) return
        if (isOver()) return finish(true)
        while (heap.length > 0 && heap[0].run === null) pop()
        if (heap.length === 0 || heap[0].atMs > endMs) return finish(false)
        const { atMs, run } = pop()
        nowMs = atMs
        try {
          run!()
        } catch (error) {
          isDone = true
          reject(error)
        }
      }
      const pump = () => {
        for (let i = 0; i < AT_ONCE; i++) real.setImmediate(step)
        real.setImmediate(() => isDone || pump())
      }
      pump()
    })
  }

  const timeline: Timeline = {
    nowMs: () => nowMs,
    after,
    runUntil,
    close: () => {
      heap.length = 0
      Object.assign(globalThis, real)
      performance.now = real.now
      present = null
    },
  }
  const handle = (cancel: () => void) => {
    const made = { cancel, unref: () => made, ref: () => made }
    return made
  }
  const cancel = (made?: { cancel?: () => void }) => made?.cancel?.()
  class SimulatedDate extends real.Date {
    constructor(...given: [] | [number | string]) {
      super(...((given.length === 0 ? [STARTS_AT_MS + nowMs] : given) as [number]))
    }
    static override now() {
      return Math.floor(STARTS_AT_MS + nowMs)
    }
  }
  Object.assign(globalThis, {
    Date: SimulatedDate,
    setTimeout: (run: () => void, ms = 0) => handle(after(ms, run)),
    setInterval: (run: () => void, ms: number) => {
      let stop = () => {}
      const tick = () => {
        stop = after(ms, tick)
        run()
      }
      stop = after(ms, tick)
      return handle(() => stop())
    },
    clearTimeout: cancel,
    clearInterval: cancel,
  })
  performance.now = () => nowMs
  present = timeline
  return timeline
}
