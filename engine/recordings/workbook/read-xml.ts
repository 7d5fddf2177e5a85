import { SaxesParser } from 'saxes'
import { DamagedWorkbook } from './damaged-workbook.ts'

/** Callbacks for a part's elements, named without their namespace, and for their text. */
type XmlHandlers = {
  onOpen: (name: string, attributes: Record<string, string>) => void
  onText?: (text: string) => void
  onClose?: (name: string) => void
}

/** Limits of depth and of text or tag length: spreadsheets nest about twenty elements at most. */
const DEPTH_MAX = 64
export const PIECE_MAX = 1 << 20

/**
 * Parses a part of a workbook, in bounded memory. Documents with a DOCTYPE are refused, so no entity expands.
 *
 * @param chunks UTF-8
 * @throws DamagedWorkbook; the parser's error for invalid XML
 */
export async function readXml(chunks: AsyncIterable<Uint8Array>, handlers: XmlHandlers): Promise<void> {
  const xml = openXml(handlers)
  for await (const chunk of chunks) xml.write(chunk)
  xml.close()
}

/** Opens a parser that takes a document piece by piece. */
export function openXml(handlers: XmlHandlers): { write: (bytes: Uint8Array) => void; close: () => void } {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const { parser, pendingLength } = openParser(handlers)
  return {
    write: (bytes) => {
      const text = decoder.decode(bytes, { stream: true })
      parser.write(text)
      if (pendingLength(text.length) > PIECE_MAX)
        throw new DamagedWorkbook(`has a cell of more than ${PIECE_MAX} characters`)
    },
    close: () => void parser.write(decoder.decode()).close(),
  }
}

const OPTIONS = { xmlns: false, position: false } as const

function openParser({ onOpen, onText, onClose }: XmlHandlers) {
  const parser = new SaxesParser(OPTIONS)
  let [depth, pending] = [0, 0]
  parser.on('error', (error) => {
    throw error
  })
  parser.on('doctype', () => {
    throw new DamagedWorkbook('declares entities, which no spreadsheet does')
  })
  parser.on('opentag', ({ name, attributes }) => {
    pending = 0
    if (++depth > DEPTH_MAX) throw new DamagedWorkbook(`nests elements more than ${DEPTH_MAX} deep`)
    onOpen(localName(name), attributes)
  })
  parser.on('closetag', ({ name }) => {
    pending = 0
    depth--
    onClose?.(localName(name))
  })
  if (onText) {
    parser.on('text', onText)
    parser.on('cdata', onText)
  }
  /** Returns the length that the parser may buffer for an unfinished token, after this many more characters. */
  const pendingLength = (more: number) => {
    pending += more
    return pending
  }
  return { parser, pendingLength }
}

function localName(name: string): string {
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}
