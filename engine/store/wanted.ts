/** How long a look at all jobs counts: at least this, and so many times what it took. */
const LOOK_COUNTS_MS = 1000
const LOOK_COUNTS_TIMES = 50

/** A job without an end, and a token that has asked for it. */
export type Wanted = { tokenId: string; id: string }

/** Which open jobs each token wants: as the disk was when it was read last, and what this process has done since. */
export function rememberWanted() {
  let byToken = new Map<string, Set<string>>()
  let countsUntilMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  /** What is done while the disk is read, done again to what was read. */
  let since: ((map: typeof byToken) => void)[] = []

  const put = (map: typeof byToken, { tokenId, id }: Wanted) => {
    const ids = map.get(tokenId)
    if (ids) ids.add(id)
    else map.set(tokenId, new Set([id]))
  }
  const change = (edit: (map: typeof byToken) => void) => {
    edit(byToken)
    if (reading) since.push(edit)
  }
  async function reread(readAll: () => AsyncIterable<Wanted>): Promise<void> {
    const startedMs = performance.now()
    const fresh: typeof byToken = new Map()
    try {
      for await (const each of readAll()) put(fresh, each)
      for (const edit of since) edit(fresh)
      byToken = fresh
      const nowMs = performance.now()
      countsUntilMs = nowMs + Math.max(LOOK_COUNTS_MS, LOOK_COUNTS_TIMES * (nowMs - startedMs))
    } finally {
      since = []
      reading = null
    }
  }

  return {
    of: async (tokenId: string, readAll: () => AsyncIterable<Wanted>, fresh: boolean): Promise<ReadonlySet<string>> => {
      if (performance.now() >= countsUntilMs) {
        reading ??= reread(readAll)
        // What was read last will do meanwhile; a disk that cannot be read is told to who waits for it.
        if (fresh || countsUntilMs === Number.NEGATIVE_INFINITY) await reading
        else reading.catch(() => undefined)
      }
      return byToken.get(tokenId) ?? new Set()
    },
    add: (tokenId: string, id: string) => change((map) => put(map, { tokenId, id })),
    /** @param tokenId of the one that does not want it any more; nobody does if not given */
    drop: (id: string, tokenId?: string) =>
      change((map) => {
        if (tokenId !== undefined) map.get(tokenId)?.delete(id)
        else for (const ids of map.values()) ids.delete(id)
      }),
  }
}
