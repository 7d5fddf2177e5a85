import { type Kernel, rowsKernel } from './rows-kernel.ts'
import { append, type ByteSink } from './sink.ts'
import { type NestedStep, type WriteStep, writeStep } from './steps.ts'

/** Smallest number of rows for which loading the kernel pays. */
const KERNEL_ROWS_MIN = 8

/**
 * Writes rows of text, from `from` to `to`. The kernel writes what it supports (numbers of 31 bits, flags, bytes) in
 * blocks of its own memory; all others are written here, with the same bytes.
 */
export function writeRows(sink: ByteSink, steps: WriteStep[], from: number, to: number): void {
  const kernel = to - from < KERNEL_ROWS_MIN ? null : loadedKernel(sink, steps)
  for (let i = from; i < to; i++) {
    if (kernel !== null) i = kernel.write(sink, i, to)
    if (i < to) for (const step of steps) writeAny(sink, step, i)
  }
}

function loadedKernel(sink: ByteSink, steps: WriteStep[]): Kernel | null {
  const kernel = rowsKernel()
  return kernel !== null && sink.bytes === kernel.block && kernel.load(steps) ? kernel : null
}

function writeAny(sink: ByteSink, step: WriteStep, i: number): void {
  if (step.kind === 'rows') writeNested(sink, step, i)
  else writeStep(sink, step, i)
}

function writeNested(sink: ByteSink, { ends, steps, between, open, close, empty }: NestedStep, i: number): void {
  const start = i === 0 ? 0 : ends[i - 1]
  const last = ends[i] - 1
  if (last < start) {
    append(sink, empty)
    return
  }
  append(sink, open)
  writeRows(sink, [...steps, { kind: 'bytes', bytes: between }], start, last)
  for (const step of steps) writeAny(sink, step, last)
  append(sink, close)
}
