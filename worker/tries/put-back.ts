import type { JobQueue } from '../queue/job-queue.ts'
import type { Facts } from '../queue/payload.ts'
import type { Log } from './job-context.ts'

/** Promised work, as it was on disk when it was listed. */
export type Promised = {
  id: string
  attempt: number
  /** Reads the work again: its data for the queue, and the tokens that wait for it; null if it has ended. */
  again: () => Promise<{ facts: Facts; tokenIds: string[] } | null>
}

/**
 * Queues unfinished work again if it is missing from the queue, in the given order. If the queue is unavailable, a
 * later pass does it.
 */
export async function putBack(
  open: Promised[],
  { queue, log }: { queue: JobQueue; log: Log },
  stopping: AbortSignal,
): Promise<void> {
  if (open.length === 0) return
  /** Number of jobs that this pass queued again, by token. */
  const lines = new Map<string, number>()
  try {
    const stateOf = await queue.lookUp()
    for (const { id, attempt, again } of open) {
      if (stopping.aborted) return
      if (stateOf(id, attempt) !== null) continue
      const state = await queue.state(id, attempt)
      if (state === 'waiting' || state === 'active') continue
      // It may have ended since the list was read; workers record the end before they tell the queue.
      const now = await again()
      if (now === null) continue
      const { facts, tokenIds } = now
      const ahead = Math.min(...tokenIds.map((tokenId) => lines.get(tokenId) ?? 0))
      await queue.add(id, attempt, ahead, facts)
      for (const tokenId of tokenIds) lines.set(tokenId, (lines.get(tokenId) ?? 0) + 1)
      log.info({ jobId: id, attempt }, 'queued again')
    }
  } catch (error) {
    log.debug({ err: error }, 'the queue is unavailable; jobs are queued again later')
  }
}
