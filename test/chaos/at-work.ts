import { existsSync } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Jobs } from '../../engine/jobs/open-jobs.ts'
import { withTimeout } from '../../worker/queue/circuit-breaker.ts'
import { openQueue } from '../../worker/queue/queue.ts'

/** Finds out who works at which attempts, from files or the queue. */
export type AtWork = {
  /** Attempts at which a process works. */
  of: (pid: number | null) => Promise<string[]>
  /** Returns whether each attempt is being computed by one of these processes, has ended, or was lost with its plan. */
  isTakenUp: (attempts: string[], pids: number[]) => Promise<boolean>
  close: () => Promise<void>
}

/** The part files that each process has open. */
export async function openParts(pids: number[]): Promise<Map<string, number[]>> {
  const holders = new Map<string, number[]>()
  if (!existsSync('/proc/self/fd')) return holders
  for (const pid of pids) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const name of names) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')
      if (!target.endsWith('.part')) continue
      const known = holders.get(target) ?? []
      if (!known.includes(pid)) holders.set(target, [...known, pid])
    }
  }
  return holders
}

/** Looks at the files that processes have open: attempts are what the paths of these begin with. */
export function seenInFiles(jobs: Jobs): AtWork {
  return {
    of: async (pid) => {
      const parts = await openParts(pid === null ? [] : [pid])
      return [...new Set([...parts.keys()].map((path) => path.replace(/(\/\d+\.)[^/]*$/, '$1')))]
    },
    isTakenUp: async (attempts, pids) => {
      const parts = [...(await openParts(pids)).keys()]
      const open = attempts.filter((attempt) => !parts.some((path) => path.startsWith(attempt)))
      const now = await Promise.all(open.map((attempt) => jobs.read(basename(dirname(attempt)))))
      return now.every((job, i) => job?.end !== null || job.attempt !== Number.parseInt(basename(open[i]), 10))
    },
    close: async () => undefined,
  }
}

/**
 * Looks at what processes told the queue when they began; where that is away, nobody is at anything, nor while parts
 * are composed, of which they tell nothing.
 */
export async function seenInQueue(queueUrl: string, instance: string, jobs: Jobs): Promise<AtWork> {
  const { bull, close } = await openQueue({ queueUrl, dataDir: '', instance, onError: () => undefined })
  const begun = async (pids: number[]): Promise<string[]> => {
    const active = await bull.getJobs(['active'])
    const by = active.map(async ({ id = '' }) => {
      const { logs } = await bull.getJobLogs(id)
      const last = logs.findLast((line) => line.includes('begun by process '))
      return { id, pid: Number(/process (\d+)$/.exec(last ?? '')?.[1]) }
    })
    const ids = (await Promise.all(by)).filter(({ pid }) => pids.includes(pid)).map(({ id }) => id)
    // Whoever is at a part of an attempt is at the attempt.
    return [...new Set(ids.map((id) => id.replace(/-\d+of\d+$/, '')))]
  }
  const isOver = async (id: string): Promise<boolean> => {
    const [jobId, attempt] = id.split('-')
    const job = await jobs.read(jobId)
    return job?.end !== null || job.attempt !== Number(attempt)
  }
  return {
    of: async (pid) => (pid === null ? [] : withTimeout(begun([pid])).catch(() => [])),
    isTakenUp: async (ids, pids) => {
      try {
        const taken = await withTimeout(begun(pids))
        const open = ids.filter((id) => !taken.includes(id))
        return (await Promise.all(open.map(isOver))).every(Boolean)
      } catch {
        return false
      }
    },
    close,
  }
}
