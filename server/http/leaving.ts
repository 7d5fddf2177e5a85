import type { Response } from 'express'
import { ServiceError } from '../../engine/model/errors.ts'

/** Returns a signal that aborts when the client disconnects before it has the whole answer. */
export function leaving(res: Response): AbortSignal {
  const controller = new AbortController()
  const leave = () => controller.abort(new ServiceError('canceled', 'the client left'))
  res.once('close', () => {
    if (!res.writableFinished) leave()
  })
  if (res.closed && !res.writableFinished) leave()
  return controller.signal
}
