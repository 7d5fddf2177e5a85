import type { Response } from 'express'

/** Aborts when the client leaves before it has its whole answer. */
export function leaving(res: Response): AbortSignal {
  const controller = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) controller.abort()
  })
  return controller.signal
}
