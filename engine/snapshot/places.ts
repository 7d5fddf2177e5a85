import { stopReason } from '../model/errors.ts'

/** Semaphore that grants its slots in the order of the requests (FIFO). */
type Places = {
  /**
   * Waits for a slot. Returns the function that releases it.
   *
   * @throws ServiceError as `stopReason` when the signal aborts first
   */
  take: (signal: AbortSignal) => Promise<() => void>
}

export function openPlaces(count: number): Places {
  const waiting: (() => void)[] = []
  let free = count
  const give = () => {
    const next = waiting.shift()
    if (next === undefined) free++
    else next()
  }
  return {
    take: async (signal) => {
      if (signal.aborted) throw stopReason(signal)
      if (free > 0) {
        free--
        return give
      }
      await new Promise<void>((resolve, reject) => {
        const start = () => {
          signal.removeEventListener('abort', leave)
          resolve()
        }
        const leave = () => {
          waiting.splice(waiting.indexOf(start), 1)
          reject(stopReason(signal))
        }
        waiting.push(start)
        signal.addEventListener('abort', leave, { once: true })
      })
      return give
    },
  }
}
