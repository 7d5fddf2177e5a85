import type { Request, Response } from 'express'
import type { JobView } from '../schemas/job.ts'

const HEARTBEAT_MS = 15_000

/** Streams server-sent events: the current job, each change, then `end` with the final job. */
export function sendEvents(
  req: Request,
  res: Response,
  watch: (listener: (job: JobView | null) => void) => () => void,
  stopping: AbortSignal,
): void {
  res.setHeader('Content-Type', 'text/event-stream')
  res.setHeader('X-Accel-Buffering', 'no')
  if (req.method === 'HEAD') return void res.end()
  res.flushHeaders()
  res.write('retry: 2000\n\n')
  let last = ''
  const unwatch = watch((job) => {
    if (res.writableEnded) return
    const text = JSON.stringify(job)
    // A client that does not read misses changes, so none take up memory.
    if (text !== last && !res.writableNeedDrain && job !== null) res.write(`data: ${text}\n\n`)
    last = text
    if (job === null || job.finishedAt !== null) res.end(`event: end\ndata: ${text}\n\n`)
  })
  const heartbeat = setInterval(() => {
    if (!res.writableEnded && !res.writableNeedDrain) res.write(': still here\n\n')
  }, HEARTBEAT_MS)
  const leave = () => res.end()
  stopping.addEventListener('abort', leave)
  res.once('close', () => {
    unwatch()
    clearInterval(heartbeat)
    stopping.removeEventListener('abort', leave)
  })
}
