import { expect, test } from 'vitest'
import { grownValues } from '../../../../engine/formats/growing.ts'
import { distinctTexts } from '../../../../engine/run/shards/distinct-texts.ts'

test('texts are numbered in the order of their first use, and kept once', () => {
  const { texts, codeOf } = distinctTexts()
  const known = new Map<string, number>()
  for (let i = 0; i < 40_000; i++) {
    // Each of 9,000 comes four or five times; they differ in length, and some begin alike or are empty.
    const n = (i * 7919) % 9000
    const text = n === 0 ? '' : `${'ü'.repeat(n % 3)}${n.toString(36)}${n % 5 === 0 ? '€ 😀' : ''}`
    const code = known.get(text) ?? known.size
    known.set(text, code)
    expect(codeOf(text)).toBe(code)
  }
  expect(known.size).toBe(9000)
  const all = Buffer.from(grownValues(texts.bytes))
  const ends = [...grownValues(texts.ends)]
  const kept = ends.map((end, i) => all.subarray(ends[i - 1] ?? 0, end).toString())
  expect(kept).toEqual([...known.keys()])
})
