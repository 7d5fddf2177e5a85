import type { SourceFile } from './source-files.ts'

/** Texts that people try and that no reader supports, by their beginnings or names, and advice for each. */
const KNOWN: { isIt: (file: SourceFile) => boolean; sentence: string }[] = [
  {
    isIt: ({ head, name }) =>
      /^\s*\{\s*"type"\s*:\s*"(gaze|imu|event|syncport)"/.test(head) || /(^|\/)recording\.g3$/.test(name),
    sentence:
      "is of a recording folder of Tobii Pro Glasses 3, whose raw data are not read: open the folder in Tobii Pro Lab, map the gaze onto a snapshot of what was looked at, or take the scene video as it is, and make a data export (TSV) with Gaze point X and Y and the stimulus' name",
  },
  {
    isIt: ({ head }) => !head.includes('\n') && /\r[^\r]+\r/.test(head),
    sentence: 'has carriage returns (CR) alone as line ends, as old Macs wrote them: save it with LF or CRLF',
  },
  {
    isIt: ({ head }) => /^\s*\{\s*"ts"\s*:\s*\d+\s*,\s*"s"\s*:\s*\d+/.test(head),
    sentence:
      "is the raw data of Tobii Pro Glasses 2 (livedata.json), which are not read: import the recording into Tobii Pro Lab, and make a data export (TSV) with Gaze point X and Y and the stimulus' name",
  },
  {
    isIt: ({ head }) =>
      /^\s*3\b[^\n]*ViewPoint/im.test(head) || (/^\s*6\t[^\n]*\bALX\b/m.test(head) && /^\s*10\t/m.test(head)),
    sentence:
      'is a data file of ViewPoint, of Arrington Research, in which each line begins with what it is: keep the line of the names of columns (6) and those of the samples (10), without that first number, save them as CSV or with tabs, and make a mapping of their columns with gazette convert --guess; ALX and ALY are fractions of the screen',
  },
]

/** Returns a sentence about a known but unsupported text; null for any other file. */
export function foreignText(file: SourceFile): string | null {
  if (file.sheet !== null) return null
  const known = KNOWN.find(({ isIt }) => isIt(file))
  return known ? `${file.name} ${known.sentence}` : null
}
