/** Polls a value once for all of its listeners. */
export type Watch<T> = (id: string, listener: (value: T) => void) => () => void

/**
 * Opens a watch that polls a value while somebody listens, once for all listeners.
 *
 * @param read asked every `everyMs` per id that somebody listens to; when it throws, `onError` is told and it is asked
 *   again
 */
export function openWatch<T>(
  read: (id: string) => Promise<T>,
  everyMs: number,
  onError: (error: unknown) => void,
): Watch<T> {
  const watched = new Map<string, Set<(value: T) => void>>()

  async function ask(id: string, listeners: Set<(value: T) => void>): Promise<void> {
    while (listeners.size > 0) {
      try {
        const value = await read(id)
        for (const listener of listeners) listener(value)
      } catch (error) {
        onError(error)
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
    // A new listener may have come while this waited; it then found these listeners, or none.
    if (watched.get(id) === listeners) watched.delete(id)
  }

  return (id, listener) => {
    const known = watched.get(id)
    const listeners = known ?? new Set()
    listeners.add(listener)
    if (!known) {
      watched.set(id, listeners)
      ask(id, listeners).catch(onError)
    }
    return () => {
      listeners.delete(listener)
    }
  }
}
