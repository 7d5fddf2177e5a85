import {
  NUMBER_BYTES,
  putBoolean,
  putFraction,
  putInteger,
  putJsonNumber,
  putJsonPercent,
  putMilliseconds,
  putThousandths,
} from './numbers.ts'
import { append, type ByteSink, reserve } from './sink.ts'

/** A row of text as steps: constant bytes, and values of columns. */
export type WriteStep = PlainStep | NestedStep

type PlainStep =
  | { kind: 'bytes'; bytes: Uint8Array }
  | NumberStep
  /** Numbers preceded by a comma, followed by their decimals. */
  | { kind: 'decimalCommas'; step: NumberStep }
  /** 0 or 1; 2 if missing. */
  | { kind: 'flags'; values: Uint8Array; missing: Uint8Array }
  /** Bytes for the rows with 1. */
  | { kind: 'marks'; values: Uint8Array; bytes: Uint8Array }
  /** Indexes; -1 if missing. */
  | { kind: 'texts'; texts: Uint8Array[]; indexes: Int32Array; missing: Uint8Array }

/** NaN if missing. Kinds as in `Cells` of engine/model/columns.ts. */
export type NumberStep = {
  kind: 'fractions' | 'percents' | 'wholes' | 'microseconds' | 'exact' | 'exactMs'
  values: Float64Array | Int32Array
  missing: Uint8Array
}

/** A step that writes nested rows: in row i those from `ends[i - 1]` to `ends[i]`, separated. */
export type NestedStep = {
  kind: 'rows'
  ends: Int32Array
  steps: WriteStep[]
  between: Uint8Array
  open: Uint8Array
  close: Uint8Array
  /** Text of an empty list. */
  empty: Uint8Array
}

/** Writes `value` at `at`, and returns the end. */
const PUT: Record<NumberStep['kind'], (bytes: Uint8Array, at: number, value: number) => number> = {
  fractions: putFraction,
  percents: putJsonPercent,
  wholes: putInteger,
  microseconds: putMilliseconds,
  exact: putJsonNumber,
  exactMs: putThousandths,
}

/** Writes row `i` of a step. */
export function writeStep(sink: ByteSink, step: PlainStep, i: number): void {
  if (step.kind === 'bytes') append(sink, step.bytes)
  else if (step.kind === 'decimalCommas') putDecimalComma(sink, step.step, i)
  else if (step.kind === 'texts') append(sink, step.indexes[i] < 0 ? step.missing : step.texts[step.indexes[i]])
  else if (step.kind === 'flags' && step.values[i] === 2) append(sink, step.missing)
  else if (step.kind === 'flags') putFlag(sink, step.values[i] === 1)
  else if (step.kind === 'marks') append(sink, step.values[i] === 1 ? step.bytes : NOTHING)
  else if (Number.isNaN(step.values[i])) append(sink, step.missing)
  else putNumber(sink, PUT[step.kind], step.values[i])
}

const NOTHING = new Uint8Array(0)

function putFlag(sink: ByteSink, value: boolean): void {
  reserve(sink, NUMBER_BYTES)
  sink.length = putBoolean(sink.bytes, sink.length, value)
}

function putDecimalComma(sink: ByteSink, step: NumberStep, i: number): void {
  reserve(sink, NUMBER_BYTES + step.missing.length)
  const start = sink.length
  writeStep(sink, step, i)
  const point = sink.bytes.subarray(start, sink.length).indexOf(POINT)
  if (point >= 0) sink.bytes[start + point] = COMMA
}

const POINT = 0x2e
const COMMA = 0x2c

function putNumber(sink: ByteSink, put: (typeof PUT)[NumberStep['kind']], value: number): void {
  reserve(sink, NUMBER_BYTES)
  sink.length = put(sink.bytes, sink.length, value)
}
