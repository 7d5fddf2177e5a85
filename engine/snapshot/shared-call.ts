import { stopReason } from '../model/errors.ts'

/** Single flight: work that several callers share. */
export type SharedCall<T> = {
  /**
   * Joins the work as one more caller; without a signal, this caller stays to the end.
   *
   * @throws errors of the work; as `stopReason`
   */
  join: (signal?: AbortSignal) => Promise<T>
  /** True if the call was aborted; later callers need a new one. */
  isStopped: () => boolean
}

/** Starts work that callers may join (single flight), and aborts it when the last of them has left. */
export function startShared<T>(work: (stop: AbortSignal) => Promise<T>): SharedCall<T> {
  const stop = new AbortController()
  const promise = work(stop.signal)
  let callers = 0
  promise.catch(() => undefined)
  return {
    isStopped: () => stop.signal.aborted,
    join: async (signal) => {
      callers++
      if (signal === undefined) return promise
      return new Promise<T>((resolve, reject) => {
        const leave = () => {
          callers--
          if (callers === 0) stop.abort(stopReason(signal))
          reject(stopReason(signal))
        }
        if (signal.aborted) return leave()
        signal.addEventListener('abort', leave, { once: true })
        promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
      })
    },
  }
}
