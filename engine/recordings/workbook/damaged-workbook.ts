import { DamagedZip } from '../../files/zip-entries.ts'
import { ServiceError } from '../../model/errors.ts'

/** A workbook that cannot be read; `message` is the rule that it breaks, to stand behind its name. */
export class DamagedWorkbook extends Error {}

/** Errors of the operating system, which are no fault of the file's. */
const OF_THE_SYSTEM = /^E[A-Z]+$/

/**
 * Translates what went wrong while a workbook was read.
 *
 * @param name the file's
 * @returns invalid_bundle for whatever is wrong with the file; any other error as it is
 */
export function workbookFault(error: unknown, name: string): unknown {
  if (error instanceof ServiceError) return error
  if (error instanceof DamagedWorkbook || error instanceof DamagedZip)
    return new ServiceError('invalid_bundle', `${name} ${error.message}: save it anew, or as CSV`, { cause: error })
  if (!(error instanceof Error) || OF_THE_SYSTEM.test(String((error as NodeJS.ErrnoException).code ?? ''))) return error
  const rule = 'is a spreadsheet that is damaged or cut short: copy it again, or save it as CSV'
  return new ServiceError('invalid_bundle', `${name} ${rule}`, { cause: error })
}
