import { type Gaze, pointOfSample } from '../compute/gaze.ts'
import { COMMA } from '../csv/cells.ts'
import { NUMBER_BYTES, putJsonPercent, putNull, putText, putThousandths } from '../csv/numbers.ts'
import { reserve, type Sink } from '../csv/sink.ts'
import type { ExportEntry } from '../registry.ts'
import type { TestRun } from './context.ts'
import { G, X } from './identity.ts'
import { NOTES } from './notes.ts'
import { TUPLE_TEST_BYTES, writeTupleRow } from './tuples.ts'

export const gazesNormalized: ExportEntry = {
  name: 'gazes-normalized',
  path: 'eye-tracking/gazes/raw',
  variant: 'normalized',
  title: 'Gazes, normalized',
  rowPer: 'test',
  listed: ['movingMedianRangeMs', 'participantQualityGradeItemMin'],
  columns: [
    ...G,
    {
      name: 'test_normalized_data',
      type: 'json',
      unit: '% of the displayed item, ms',
      meaning:
        'A tuple per sample: [x, y, t, mouseX, mouseY], denoised gaze, and true behind on a click; null where lost',
      missing: null,
    },
    ...X,
    NOTES,
  ],
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx', 'mouseXPx', 'mouseYPx', 'isClick'],
  estimateBytes: ({ tests, samples }) => tests * TUPLE_TEST_BYTES + samples * 60,
  kind: 'rows',
  writeTest: (run, context, sink) =>
    writeTupleRow(run, context, sink, () => writeTuples(run, context.gazeOf(run), sink)),
}

function writeTuples({ samples, identity }: TestRun, gaze: Gaze, sink: Sink): void {
  const { n, tUs, scrollYPx, mouseXPx, mouseYPx, isClick } = samples
  const { leftPx, topPx, widthPx, heightPx } = identity.test.display!
  for (let i = 0; i < n; i++) {
    reserve(sink, 5 * NUMBER_BYTES + 16)
    const { bytes } = sink
    const point = pointOfSample(gaze, i)
    let at = sink.length
    if (i > 0) bytes[at++] = COMMA
    bytes[at++] = OPENING
    at = point === -1 ? putNulls(bytes, at) : putPair(bytes, at, gaze.xPercent[point], gaze.yPercent[point])
    bytes[at++] = COMMA
    at = putThousandths(bytes, at, tUs[i])
    bytes[at++] = COMMA
    at = Number.isNaN(mouseXPx[i])
      ? putNulls(bytes, at)
      : putPair(
          bytes,
          at,
          ((mouseXPx[i] - leftPx) / widthPx) * 100,
          ((mouseYPx[i] + scrollYPx[i] - topPx) / heightPx) * 100,
        )
    if (isClick[i] === 1) at = putText(bytes, at, ',true')
    bytes[at++] = CLOSING
    sink.length = at
  }
}

function putNulls(bytes: Uint8Array, at: number): number {
  at = putNull(bytes, at)
  bytes[at++] = COMMA
  return putNull(bytes, at)
}

function putPair(bytes: Uint8Array, at: number, xPercent: number, yPercent: number): number {
  at = putJsonPercent(bytes, at, xPercent)
  bytes[at++] = COMMA
  return putJsonPercent(bytes, at, yPercent)
}

const OPENING = 91
const CLOSING = 93
