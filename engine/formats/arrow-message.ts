import type { RecordBatch, Schema, Vector } from 'apache-arrow'
import { MetadataVersion } from 'apache-arrow/enum'
import { FileBlock, Footer } from 'apache-arrow/ipc/metadata/file'
import {
  DictionaryBatch as DictionaryHeader,
  Message,
  RecordBatch as RecordHeader,
} from 'apache-arrow/ipc/metadata/message'
import { VectorAssembler } from 'apache-arrow/visitor/vectorassembler'

/** Messages of the Arrow IPC format, each aligned to 8 bytes: https://arrow.apache.org/docs/format/Columnar.html */

/**
 * Position of a message in the file, as the footer lists it; `offset` counts from the start of the message's own piece.
 */
export type ArrowBlock = { offset: number; metaDataLength: number; bodyLength: number }
type MessageBytes = { pieces: Uint8Array[]; block: ArrowBlock }

export const MAGIC = Buffer.from('ARROW1')
const ALIGNMENT = 8
const PREFIX_BYTES = 8

export function schemaMessage(schema: Schema): Uint8Array {
  return Buffer.concat(headerPieces(Message.encode(Message.from(schema))))
}

export function batchMessage(batch: RecordBatch): MessageBytes {
  return message(batch, (header) => header)
}

/** Encodes a dictionary batch. @param id the dictionary id in the schema's field */
export function dictionaryMessage(values: Vector, id: number): MessageBytes {
  return message(values, (header) => new DictionaryHeader(header, id))
}

/** Encodes the footer of a file. */
export function footer(schema: Schema, batches: ArrowBlock[], dictionaries: ArrowBlock[]): Uint8Array {
  const blocks = (given: ArrowBlock[]) =>
    given.map(({ metaDataLength, bodyLength, offset }) => new FileBlock(metaDataLength, bodyLength, offset))
  const bytes = Footer.encode(new Footer(schema, MetadataVersion.V5, blocks(batches), blocks(dictionaries)))
  const endOfStream = new Uint8Array(Int32Array.of(-1, 0).buffer)
  return Buffer.concat([endOfStream, bytes, new Uint8Array(Int32Array.of(bytes.length).buffer), MAGIC])
}

function message(
  values: RecordBatch | Vector,
  headerOf: (header: RecordHeader) => RecordHeader | DictionaryHeader,
): MessageBytes {
  const { byteLength, nodes, bufferRegions, buffers } = VectorAssembler.assemble(values)
  const rows = 'numRows' in values ? values.numRows : values.length
  const header = headerOf(new RecordHeader(rows, nodes, bufferRegions, null))
  const head = headerPieces(Message.encode(Message.from(header as RecordHeader, byteLength)))
  const metaDataLength = head.reduce((sum, { length }) => sum + length, 0)
  const body = buffers.flatMap((buffer) => padded(new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)))
  return { pieces: [...head, ...body], block: { offset: 0, metaDataLength, bodyLength: byteLength } }
}

function headerPieces(flatbuffer: Uint8Array): Uint8Array[] {
  const length = alignedLength(flatbuffer.length + PREFIX_BYTES) - PREFIX_BYTES
  return [new Uint8Array(Int32Array.of(-1, length).buffer), flatbuffer, new Uint8Array(length - flatbuffer.length)]
}

function padded(bytes: Uint8Array): Uint8Array[] {
  return [bytes, new Uint8Array(alignedLength(bytes.length) - bytes.length)]
}

function alignedLength(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}
