import { ServiceError } from '../../model/errors.ts'
import { DamagedZip } from '../../storage/files/zip-entries.ts'

/** Thrown for a workbook that cannot be read; `message` is the broken rule, to follow its name. */
export class DamagedWorkbook extends Error {}

/** Codes of operating system errors, which are not faults of the file. */
const OF_THE_SYSTEM = /^E[A-Z]+$/

/**
 * Translates an error while reading a workbook.
 *
 * @param name name of the file
 * @returns ServiceError invalid_bundle for any fault of the file; any other error unchanged
 */
export function workbookFault(error: unknown, name: string): unknown {
  if (error instanceof ServiceError) return error
  if (error instanceof DamagedWorkbook || error instanceof DamagedZip)
    return new ServiceError('invalid_bundle', `${name} ${error.message}: save it anew, or as CSV`, { cause: error })
  if (!(error instanceof Error) || OF_THE_SYSTEM.test(String((error as NodeJS.ErrnoException).code ?? ''))) return error
  const rule = 'is a damaged or truncated spreadsheet: copy it again, or save it as CSV'
  return new ServiceError('invalid_bundle', `${name} ${rule}`, { cause: error })
}
