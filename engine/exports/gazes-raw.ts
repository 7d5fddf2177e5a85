import type { Samples } from '../compute/gaze.ts'
import { COMMA } from '../csv/cells.ts'
import { NUMBER_BYTES, putJsonNumber, putNull, putText, putThousandths } from '../csv/numbers.ts'
import { reserve, type Sink } from '../csv/sink.ts'
import type { ExportEntry } from '../registry.ts'
import { G, X } from './identity.ts'
import { NOTES } from './notes.ts'
import { TUPLE_TEST_BYTES, writeTupleRow } from './tuples.ts'

export const gazesRaw: ExportEntry = {
  name: 'gazes-raw',
  path: 'eye-tracking/gazes/raw',
  variant: 'raw',
  title: 'Gazes, raw',
  rowPer: 'test',
  listed: ['movingMedianRangeMs', 'participantQualityGradeItemMin'],
  columns: [
    ...G,
    {
      name: 'test_raw_data',
      type: 'json',
      unit: 'px, ms',
      meaning: 'Samples as recorded: [x, y, t, scrollY, mouseX, mouseY], and true behind on a click; null where lost',
      missing: null,
    },
    ...X,
    NOTES,
  ],
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
  estimateBytes: ({ tests, samples }) => tests * TUPLE_TEST_BYTES + samples * 45,
  kind: 'rows',
  writeTest: (run, context, sink) => writeTupleRow(run, context, sink, () => writeTuples(run.samples, sink)),
}

function writeTuples(samples: Samples, sink: Sink): void {
  const { n, tUs, gazeXPx, gazeYPx, scrollYPx, mouseXPx, mouseYPx, isClick } = samples
  for (let i = 0; i < n; i++) {
    reserve(sink, 6 * NUMBER_BYTES + 16)
    const { bytes } = sink
    let at = sink.length
    if (i > 0) bytes[at++] = COMMA
    bytes[at++] = OPENING
    at = putJsonOrNull(bytes, at, gazeXPx[i])
    bytes[at++] = COMMA
    at = putJsonOrNull(bytes, at, gazeYPx[i])
    bytes[at++] = COMMA
    at = putThousandths(bytes, at, tUs[i])
    bytes[at++] = COMMA
    at = putJsonNumber(bytes, at, scrollYPx[i])
    bytes[at++] = COMMA
    at = putJsonOrNull(bytes, at, mouseXPx[i])
    bytes[at++] = COMMA
    at = putJsonOrNull(bytes, at, mouseYPx[i])
    if (isClick[i] === 1) at = putText(bytes, at, ',true')
    bytes[at++] = CLOSING
    sink.length = at
  }
}

function putJsonOrNull(bytes: Uint8Array, at: number, value: number): number {
  return Number.isNaN(value) ? putNull(bytes, at) : putJsonNumber(bytes, at, value)
}

const OPENING = 91
const CLOSING = 93
