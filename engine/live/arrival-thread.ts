import { type Failed, failed, transfer } from '../run/export-thread.ts'
import { readArrival } from './read-arrival.ts'
import type { BodyKind } from './read-body.ts'

/** Reads a body on this thread. The arrays of its samples are handed over. */
export function readArrivalInThread({ bytes, kind }: { bytes: Uint8Array; kind: BodyKind }): unknown | Failed {
  try {
    const part = readArrival(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), kind)
    const arrays = part.tests.flatMap(({ samples: { n: _, ...columns } }) => Object.values(columns))
    return transfer({ part }, [...new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer))])
  } catch (error) {
    return failed(error)
  }
}
