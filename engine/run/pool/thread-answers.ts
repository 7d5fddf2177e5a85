import { Piscina } from 'piscina'
import { type BundleProblem, ServiceError } from '../../model/errors.ts'

/** Errors do not cross threads whole, so their code travels apart. */
export type Failed = {
  failed: { code: ServiceError['code']; message: string; detail: string; problems: BundleProblem[] }
}

/** Returns an error as plain data, for another thread. @throws `error`, if it is a bug */
export function failed(error: unknown): Failed {
  if (!(error instanceof ServiceError)) throw error
  const detail = error.cause instanceof Error ? String(error.cause.stack) : ''
  const { code, message, problems } = error
  return { failed: { code, message, detail, problems } }
}

/**
 * Hands buffers over to the other thread instead of copying them. As plain values: V8 keeps each object that is made
 * with getters of its own, and what they see, until it looks through its old objects.
 */
export function transfer(answer: object, buffers: ArrayBuffer[]): unknown {
  return Piscina.move({ [Piscina.transferableSymbol]: buffers, [Piscina.valueSymbol]: answer } as never)
}
