/**
 * Codes of errors. Each edge translates a code once: the server to a status and a problem, the worker to a retry or a
 * failure, the command line to an exit code. Any error that is not a ServiceError is a bug and keeps its stack.
 */
export type ErrorCode =
  | 'invalid_param' // a parameter of an export breaks its rule; `faults` lists all of them
  | 'invalid_bundle' // a study bundle breaks its rules; `problems` lists the first 100
  | 'invalid_setting' // a setting from the environment breaks its rule
  | 'usage' // a command was spelled wrong
  | 'exists' // a study that is there already, and is not to be replaced
  | 'not_found' // a study, item, export, job or file that is not there
  | 'forbidden' // a change that is beyond the rights of whoever asks for it
  | 'conflict' // what is there does not allow it: it exists already, cannot be undone, or came before with other content
  | 'moved_on' // a study has changed since the request's snapshot
  | 'busy' // another import or removal holds the study's lock
  | 'overloaded' // the synchronous line or the pool is full
  | 'queue_away' // the queue cannot be reached
  | 'store_away' // the object store cannot be reached
  | 'disk_full' // no space left, or less than the floor
  | 'corrupt' // data on disk is not what its manifest promises
  | 'other_format' // data on disk has a format that this version does not read
  | 'set_aside' // a job whose process died again and again
  | 'too_large' // an answer outgrew the limits of a synchronous one
  | 'format_limit' // a table that its format cannot hold
  | 'canceled' // stopped on request
  | 'gone' // a job whose data were removed from its study

/**
 * A refused parameter: its public name, the rule that it broke, its value, and the nearest known name for a misspelt
 * one.
 */
export type Fault = { parameter: string; rule: string; value: string; position?: number; nearest?: string }

/** A broken rule of a bundle. `line` counts from 1 (the header is line 1); null for the file as a whole. */
export type BundleProblem = {
  file: string
  line: number | null
  column: string | null
  value: string | null
  rule: string
}

export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly faults: Fault[]
  readonly problems: BundleProblem[]
  constructor(
    code: ErrorCode,
    message: string,
    details: { faults?: Fault[]; problems?: BundleProblem[]; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause })
    this.name = 'ServiceError'
    this.code = code
    this.faults = details.faults ?? []
    this.problems = details.problems ?? []
  }
}

/** Returns the error of one refused parameter. @param told a sentence, which may say more than the rule */
export function refusedParameter(fault: Fault, told = `${fault.parameter} ${fault.rule}`): ServiceError {
  return new ServiceError('invalid_param', told, { faults: [fault] })
}

/** Returns the error of one refused parameter, in a sentence with its value. */
export function refusedValue(fault: Fault): ServiceError {
  return refusedParameter(fault, `${fault.parameter} ${fault.rule}, got ${fault.value || 'none'}`)
}

/**
 * Returns the error of work that a signal stopped: the signal's reason if that is a ServiceError, otherwise `canceled`.
 */
export function stopReason({ reason }: AbortSignal): ServiceError {
  return reason instanceof ServiceError
    ? reason
    : new ServiceError('canceled', 'nobody waits for it', { cause: reason })
}
