import { ServiceError } from '../../model/errors.ts'
import { isDiskFull, isShortage } from '../../model/system-errors.ts'

/** Length of a sentence of DuckDB. */
const SIGNS_MAX = 500

/** Returns the refusal of a query that needs more memory than it may have. */
export function tooMuchMemory(memoryMib: number, cause?: unknown): ServiceError {
  return new ServiceError(
    'usage',
    `the query needs more memory than ENGINE_MEMORY_MIB allows, ${memoryMib} MiB: ask for less, or raise the setting`,
    { cause },
  )
}

function tooMuchDisk(cause: unknown): ServiceError {
  const rule = 'the query spills more to disk than IMPORT_MAX_GIB allows: ask for less, or raise the setting'
  return new ServiceError('usage', rule, { cause })
}

/**
 * Explains in a sentence why DuckDB cannot run a query.
 *
 * @param about its memory limit, and the folders of its tables, which the sentence leaves out
 */
export function refusalOfQuery(error: unknown, about: { memoryMib: number; folders: string[] }): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error
  const [, kind, said] = /^([A-Z][\w ]+ Error): ([\s\S]*)$/.exec(error.message) ?? []
  if (/max_temp_directory_size/.test(error.message)) return tooMuchDisk(error)
  if (isDiskFull(error) || /No space left/.test(error.message))
    return new ServiceError('disk_full', 'the disk is too full for the query', { cause: error })
  if (kind === 'Out of Memory Error' || /bad.alloc|memory allocation failed/.test(error.message))
    return tooMuchMemory(about.memoryMib, error)
  if (kind === undefined || isShortage(error)) return error
  if (kind === 'IO Error' || kind === 'Fatal Error' || kind === 'Internal Error')
    return new ServiceError('corrupt', 'a table of the study cannot be read', { cause: error })
  const [sentence, rest = ''] = said.split(/\n+LINE /)
  const [, line] = /^(\d+):/.exec(rest) ?? []
  const known = about.folders.reduce((text, path) => text.replaceAll(`${path}/`, ''), sentence)
  const words = shortened(known.replace(/\s*\n+\s*/g, ' ').trim())
  return new ServiceError('usage', `${words}${line === undefined ? '' : ` (line ${line})`}`, { cause: error })
}

/** Shortens a sentence, which may quote values of any length. */
function shortened(words: string): string {
  const signs = Array.from(words.slice(0, 2 * SIGNS_MAX))
  return signs.length > SIGNS_MAX ? `${signs.slice(0, SIGNS_MAX).join('')}…` : words
}
