import { ServiceError } from '../model/errors.ts'
import { isShortage } from './durable.ts'

/** What it means that something published could not be read: too many open files for now, or that it is `corrupt`, in that sentence. */
export function readFault(error: unknown, sentence: string): ServiceError {
  if (error instanceof ServiceError) return error
  if (isShortage(error)) return new ServiceError('overloaded', 'too many files are open', { cause: error })
  return new ServiceError('corrupt', sentence, { cause: error })
}
