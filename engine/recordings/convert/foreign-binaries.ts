import type { SourceFile } from '../text/source-files.ts'

const BY_MATLAB = "write the table of samples with writetable(T, 'samples.csv'), and convert that"
const BY_FEATHER = "write it as CSV, as with pandas' read_feather and to_csv, and convert that"
const BY_R = "write the table of samples with write.csv(x, 'samples.csv', row.names = FALSE), and convert that"
const BY_PYTHON = "write the table of samples with pandas' to_csv, and convert that"
const BY_SPSS = 'save it as CSV, and convert that'

/** Files that people try, by their first bytes, and advice for each. */
const KNOWN: [string, string][] = [
  [
    'SR_RESEARCH',
    'is a binary EyeLink EDF file: make an ASC file of it with edf2asc, of SR Research, and convert that',
  ],
  [
    'PK\x03\x04',
    'is a zip archive or another kind of spreadsheet: unpack it, or save it as CSV or XLSX, and convert that',
  ],
  [
    '\xd0\xcf\x11\xe0',
    'is a spreadsheet of an old kind, or locked by a password: save it as CSV or as XLSX without one, and convert that',
  ],
  ['PAR1', 'is a Parquet file: only a bundle may hold samples like that, see docs/bundle.md'],
  ['\x89HDF', "is an HDF5 file without eye samples of PsychoPy's ioHub: export its samples as CSV, and convert that"],
  ['SQLite format 3', 'is a database: export its samples as CSV, and convert that'],
  ['MATLAB', `is a MATLAB file: ${BY_MATLAB}`],
  ['ARROW1', `is a Feather file: ${BY_FEATHER}`],
  ['FEA1', `is a Feather file: ${BY_FEATHER}`],
  ['RDX', `is an R data file: ${BY_R}`],
  ['\x93NUMPY', `is a NumPy file: ${BY_PYTHON}`],
  ['$FL', `is an SPSS file: ${BY_SPSS}`],
  ['XDF:', 'is an XDF file, as LabRecorder writes it: export its stream of gaze as CSV, and convert that'],
  ['%PDF', 'is a PDF'],
]

/** Files that are compressed as a whole, by their extensions, and advice for each. */
const KNOWN_BY_NAME: [RegExp, string][] = [
  [/\.(rda|rdata|rds)$/i, `is an R data file: ${BY_R}`],
  [/\.mat$/i, `is a MATLAB file: ${BY_MATLAB}`],
  [/\.feather$/i, `is a Feather file: ${BY_FEATHER}`],
  [/\.(pkl|pickle|npz)(\.gz)?$/i, `is a Python file: ${BY_PYTHON}`],
  [/\.z?sav$/i, `is an SPSS file: ${BY_SPSS}`],
  [/\.idf$/i, "is a binary IDF file of SMI: make a text of it with SMI's IDF Converter, and convert that"],
  [/\.(7z|rar|xz|bz2|zst)$/i, 'is an archive: unpack it, and convert what is in it'],
]

/** Returns a sentence about a file that is not text; null for any other. */
export function foreignBinary({ name, magic, head, sizeBytes, sheet }: SourceFile): string | null {
  if (sheet !== null) return null
  if (sizeBytes === 0) return `${name} is empty`
  const known = KNOWN.find(([begins]) => magic.startsWith(begins))
  if (known) return `${name} ${known[1]}`
  const named = head === '' && KNOWN_BY_NAME.find(([ends]) => ends.test(name))
  if (named) return `${name} ${named[1]}`
  return head === '' ? `${name} is not a text file, and of no known format` : null
}
