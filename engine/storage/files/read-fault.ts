import { ServiceError } from '../../model/errors.ts'
import { isShortage } from '../../model/system-errors.ts'

/**
 * Translates an error on reading something published: `overloaded` when too many files are open, otherwise `corrupt`
 * with that sentence.
 */
export function readFault(error: unknown, sentence: string): ServiceError {
  if (error instanceof ServiceError) return error
  if (isShortage(error)) return new ServiceError('overloaded', 'too many files are open', { cause: error })
  return new ServiceError('corrupt', sentence, { cause: error })
}
