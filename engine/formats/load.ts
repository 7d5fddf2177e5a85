import type { Column } from '../model/columns.ts'
import { FORMAT_NAMES, type FormatName } from '../model/format-names.ts'
import { encode } from '../text/cells.ts'
import { csvEncoder, csvHeader, SEMICOLONS } from './csv.ts'
import type { Encoder, EncoderOptions, FileFrame, Texts } from './encoder.ts'
import { ndjsonEncoder } from './ndjson.ts'

/** The code of a format: the encoder of rows, and the frame around them. */
export type FormatCode = { encoder: (options: EncoderOptions) => Encoder; frame: (facts: FileFacts) => FileFrame }

export type FileFacts = {
  columns: Column[]
  /** Facts about the file: its export, study, snapshot. */
  about: Record<string, string>
  /** The texts of each column that has a dictionary. */
  dictionaries: Record<string, Texts>
}

const NOTHING = new Uint8Array(0)
/** Byte order mark, by which spreadsheets recognise UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'
const TEXT = { tail: () => NOTHING }

/**
 * Loads what writes a format. The libraries of Arrow and Parquet take longer to load than a small CSV takes to make.
 */
export async function loadFormat(name: FormatName): Promise<FormatCode> {
  if (name === 'csv')
    return { encoder: csvEncoder, frame: ({ columns }) => ({ head: [encode(csvHeader(columns))], ...TEXT }) }
  if (name === 'csv-semicolon')
    return {
      encoder: (options) => csvEncoder(options, SEMICOLONS),
      frame: ({ columns }) => ({ head: [encode(BYTE_ORDER_MARK + csvHeader(columns, SEMICOLONS))], ...TEXT }),
    }
  if (name === 'ndjson') return { encoder: ndjsonEncoder, frame: () => ({ head: [], ...TEXT }) }
  if (name === 'arrow') {
    const [{ arrowEncoder }, { arrowFrame }] = await Promise.all([import('./arrow.ts'), import('./arrow-file.ts')])
    return {
      encoder: arrowEncoder,
      frame: ({ columns, about, dictionaries }) => arrowFrame(columns, about, dictionaries),
    }
  }
  if (name === 'xlsx') {
    const [{ xlsxEncoder }, { xlsxFrame }] = await Promise.all([import('./xlsx.ts'), import('./xlsx-file.ts')])
    return { encoder: xlsxEncoder, frame: ({ columns, about }) => xlsxFrame(columns, about) }
  }
  const [{ parquetEncoder }, { parquetFrame }] = await Promise.all([
    import('./parquet.ts'),
    import('./parquet-file.ts'),
  ])
  return { encoder: parquetEncoder, frame: ({ columns, about }) => parquetFrame(columns, about) }
}

/**
 * Loads all of them, for a process that lives long: a module that could not be loaded for want of open files would stay
 * so.
 */
export async function loadFormats(): Promise<void> {
  await Promise.all(FORMAT_NAMES.map(loadFormat))
}
