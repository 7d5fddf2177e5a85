import type { Column } from '../model/columns.ts'
import { FORMAT_NAMES, type FormatName } from '../model/format-names.ts'
import { encode } from '../text/cells.ts'
import { csvEncoder, csvHeader, SEMICOLONS } from './csv.ts'
import type { Encoder, EncoderOptions, FileFrame, Texts } from './encoder.ts'
import { ndjsonEncoder } from './ndjson.ts'

/** Code of a format: the encoder of rows, and the frame around them. */
export type FormatCode = { encoder: (options: EncoderOptions) => Encoder; frame: (facts: FileFacts) => FileFrame }

type FileFacts = {
  columns: Column[]
  /** Metadata of the file: its export, study, snapshot. */
  about: Record<string, string>
  /** Texts of each dictionary column. */
  dictionaries: Record<string, Texts>
}

const NOTHING = new Uint8Array(0)
/** Byte order mark, by which spreadsheets recognise UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'
const TEXT = { tail: () => NOTHING }

/** The code of each format, loaded on demand: loading the Arrow and Parquet libraries takes longer than a small CSV. */
const CODE: Record<FormatName, () => FormatCode | Promise<FormatCode>> = {
  csv: () => ({ encoder: csvEncoder, frame: ({ columns }) => ({ head: [encode(csvHeader(columns))], ...TEXT }) }),
  'csv-semicolon': () => ({
    encoder: (options) => csvEncoder(options, SEMICOLONS),
    frame: ({ columns }) => ({ head: [encode(BYTE_ORDER_MARK + csvHeader(columns, SEMICOLONS))], ...TEXT }),
  }),
  ndjson: () => ({ encoder: ndjsonEncoder, frame: () => ({ head: [], ...TEXT }) }),
  arrow: async () => {
    const [{ arrowEncoder }, { arrowFrame }] = await Promise.all([import('./arrow.ts'), import('./arrow-file.ts')])
    return {
      encoder: arrowEncoder,
      frame: ({ columns, about, dictionaries }) => arrowFrame(columns, about, dictionaries),
    }
  },
  xlsx: async () => {
    const [{ xlsxEncoder }, { xlsxFrame }] = await Promise.all([import('./xlsx.ts'), import('./xlsx-file.ts')])
    return { encoder: xlsxEncoder, frame: ({ columns, about }) => xlsxFrame(columns, about) }
  },
  parquet: async () => {
    const [{ parquetEncoder }, { parquetFrame }] = await Promise.all([
      import('./parquet.ts'),
      import('./parquet-file.ts'),
    ])
    return { encoder: parquetEncoder, frame: ({ columns, about }) => parquetFrame(columns, about) }
  },
}

/** Loads the code of a format. */
export async function loadFormat(name: FormatName): Promise<FormatCode> {
  return CODE[name]()
}

/**
 * Preloads all formats in a long-lived process: Node caches a failed import, such as one that ran out of file
 * descriptors.
 */
export async function loadFormats(): Promise<void> {
  await Promise.all(FORMAT_NAMES.map(loadFormat))
}
