/**
 * A file that is not what was written, in a sentence; `mend` does what is safe, and says what it did in another; null
 * where nothing is.
 */
export type FileFault = {
  sentence: string
  mend: (() => Promise<string>) | null
  /** True if the file is whole, but of a format that this version does not read. */
  isOtherFormat?: boolean
}
