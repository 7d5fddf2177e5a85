import { Piscina } from 'piscina'
import { type BundleProblem, ServiceError } from '../../model/errors.ts'

/** Error code of an answer, since errors do not cross threads whole. */
export type Failed = {
  failed: { code: ServiceError['code']; message: string; detail: string; problems: BundleProblem[] }
}

/** Converts an error to plain data for another thread. @throws `error`, if it is a bug */
export function failed(error: unknown): Failed {
  if (!(error instanceof ServiceError)) throw error
  const detail = error.cause instanceof Error ? String(error.cause.stack) : ''
  const { code, message, problems } = error
  return { failed: { code, message, detail, problems } }
}

/**
 * Marks buffers for transfer to the other thread instead of copying. They are plain values: V8 would retain objects
 * with getters, and what these capture, until it collects old objects.
 */
export function transfer(answer: object, buffers: ArrayBuffer[]): unknown {
  return Piscina.move({ [Piscina.transferableSymbol]: buffers, [Piscina.valueSymbol]: answer } as never)
}
