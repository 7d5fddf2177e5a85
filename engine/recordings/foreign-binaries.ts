import type { SourceFile } from './text/source-files.ts'

/** Files that people try, by how they begin, and what to do with them. */
const KNOWN: [string, string][] = [
  [
    'SR_RESEARCH',
    'is a binary EyeLink EDF file: make an ASC file of it with edf2asc, of SR Research, and convert that',
  ],
  ['PK\x03\x04', 'is a zip archive or a spreadsheet: unpack it, or save it as CSV, and convert that'],
  ['\xd0\xcf\x11\xe0', 'is an old spreadsheet: save it as CSV, and convert that'],
  ['PAR1', 'is a Parquet file: only a bundle may hold samples like that, see docs/bundle.md'],
  ['\x89HDF', 'is an HDF5 file, as PsychoPy writes it: export its samples as CSV, and convert that'],
  ['SQLite format 3', 'is a database: export its samples as CSV, and convert that'],
  ['%PDF', 'is a PDF'],
]

/** Returns a sentence about a file that is not text; null for any other. */
export function foreignBinary({ name, magic, head, sizeBytes }: SourceFile): string | null {
  if (sizeBytes === 0) return `${name} is empty`
  const known = KNOWN.find(([begins]) => magic.startsWith(begins))
  if (known) return `${name} ${known[1]}`
  return head === '' ? `${name} is no text file, and of no format that is known here` : null
}
