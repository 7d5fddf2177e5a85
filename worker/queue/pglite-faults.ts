/** A fault of the embedded queue as plain data, in words. */
export type PlainFault = { message: string; code?: unknown; severity?: unknown }

/** System errors by the numbers of WASI, which PGlite throws without a word. */
const SYSTEM: Record<number, [code: string, sentence: string]> = {
  2: ['EACCES', 'it may not write its files'],
  19: ['EDQUOT', "there is no space left in the user's quota"],
  29: ['EIO', 'the disk has failed'],
  33: ['EMFILE', 'too many files are open'],
  41: ['ENFILE', 'too many files are open'],
  44: ['ENOENT', 'a file of it is missing'],
  51: ['ENOSPC', 'there is no space left on the disk'],
  63: ['EPERM', 'it may not write its files'],
  69: ['EROFS', 'the disk is read-only'],
}

/** Puts an error of PGlite into words: its own, or those of the system's error. */
export function toldOf(error: unknown): PlainFault {
  const { message, code, severity, errno } = (error ?? {}) as Partial<PlainFault> & { errno?: unknown }
  if (typeof errno !== 'number' || code !== undefined) return { message: message ?? String(error), code, severity }
  const [name, sentence] = SYSTEM[errno] ?? [undefined, `a file of it cannot be used (error ${errno})`]
  return { message: `the embedded queue: ${sentence}`, code: name, severity }
}
