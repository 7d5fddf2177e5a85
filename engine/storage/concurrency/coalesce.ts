/**
 * Coalesces reads of the same key: calls during a read share the next one. So each gets a state from after its call,
 * and a crowd of callers opens no more files than one.
 */
export function singleFlight<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  const next = new Map<string, Promise<T>>()

  function start(key: string): Promise<T> {
    const started = read(key).finally(() => {
      if (running.get(key) === started) running.delete(key)
    })
    running.set(key, started)
    return started
  }

  return (key) => {
    const underWay = running.get(key)
    if (underWay === undefined) return start(key)
    const waiting = next.get(key)
    if (waiting) return waiting
    const after = underWay
      .catch(() => undefined)
      .then(() => {
        next.delete(key)
        return start(key)
      })
    next.set(key, after)
    return after
  }
}
