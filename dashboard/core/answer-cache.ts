const KEPT_MAX = 60
const kept = new Map<string, unknown>()

/** Returns the cached answer of a path; undefined if there is none. */
export function cachedAnswer(path: string): unknown {
  return kept.get(path)
}

/** Caches the answer of a path, and evicts the oldest one. */
export function cacheAnswer(path: string, data: unknown): void {
  kept.delete(path)
  kept.set(path, data)
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value as string)
}

export function clearAnswers(): void {
  kept.clear()
}
