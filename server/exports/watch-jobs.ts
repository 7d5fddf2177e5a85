/** Polls values, once for all listeners of each. */
export type Watch<T> = (id: string, listener: (value: T) => void) => () => void

/**
 * Creates a watch that polls a value while it has listeners, once for all of them.
 *
 * @param read runs every `everyMs` for each id with a listener; if it throws, `onError` is called and polling goes on
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
    // A new listener may have joined meanwhile; it then found these listeners, or none.
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
