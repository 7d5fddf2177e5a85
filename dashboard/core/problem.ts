import { away, GazetteError } from '../../clients/js/src/request.ts'

/**
 * Problem as the server reports it, with the refused parameters; status 0 if the server does not answer. `isStudyGone`
 * tells that not only what was requested is not there, but its whole study; `isOutdated`, that the page shows what has
 * changed since.
 */
export type Problem = Pick<GazetteError, 'status' | 'title' | 'detail' | 'type'> &
  Partial<Pick<GazetteError, 'errors' | 'instance' | 'retryAfterSeconds'>> & {
    isStudyGone?: boolean
    isOutdated?: boolean
  }

/** Converts any error to a problem; an error without an answer counts as an unavailable server. */
export function problemFrom(error: unknown): Problem {
  return error instanceof GazetteError ? error : away(error)
}
