/**
 * Runs `work` for each element in order, at most `width` at a time. After a failure, it starts nothing more, waits for
 * running work, and throws the first error.
 */
export async function forEach<T>(items: Iterable<T>, width: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]()
  let hasFailed = false
  const worker = async () => {
    for (let next = rest.next(); !next.done && !hasFailed; next = rest.next()) {
      await work(next.value).catch((error) => {
        hasFailed = true
        throw error
      })
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: width }, worker))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
}
