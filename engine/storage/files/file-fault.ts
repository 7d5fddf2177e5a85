/**
 * A damaged file, described in a sentence. `mend` repairs what can be repaired safely, and returns a sentence about it;
 * null if nothing can.
 */
export type FileFault = {
  sentence: string
  mend: (() => Promise<string>) | null
  /** True if the file is whole, but of a format that this version does not read. */
  isOtherFormat?: boolean
}
