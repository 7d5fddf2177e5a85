import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const stem = 'ds/sub-01/beh/sub-01_task-look'
const pixels = { Units: 'pixel' }
const sidecar = {
  ...{ PhysioType: 'eyetrack', SamplingFrequency: 100, StartTime: 0, RecordedEye: 'left' },
  ...{ Columns: ['timestamp', 'x_coordinate', 'y_coordinate'], timestamp: { Units: 'ms' } },
  ...{ x_coordinate: pixels, y_coordinate: pixels },
}
const ROWS = Array.from({ length: 100 }, (_, i) => `${1000 + 10 * i}\t${500 + i}\t300`)

type Given = { side?: object; origin?: unknown; events?: (string | number)[][]; rows?: string[] }

async function read({ side = {}, origin = ['top', 'left'], events = [], rows = ROWS }: Given) {
  const shown = { StimulusPresentation: { ScreenOrigin: origin, ScreenResolution: [1000, 800] } }
  const { looks, conversion } = await convertAndRead([
    writeFiles({
      [`${stem}_recording-eye1_physio.tsv.gz`]: gzipSync(`${rows.join('\n')}\n`),
      [`${stem}_recording-eye1_physio.json`]: JSON.stringify({ ...sidecar, ...side }),
      [`${stem}_events.json`]: JSON.stringify(shown),
      [`${stem}_events.tsv`]: [['onset', 'duration', 'trial_type'], ...events]
        .map((row) => `${row.join('\t')}\n`)
        .join(''),
    }),
  ])
  return { looks, doubts: conversion.doubts.join('\n'), left: conversion.left.join('\n') }
}

test('a first row without a time is left out, and takes no other row with it', async () => {
  const { looks, left } = await read({ rows: ['n/a\tn/a\tn/a', ...ROWS] })
  expect(looks[0].samples).toHaveLength(100)
  expect(looks[0].samples[1]).toEqual([10, 501, 300])
  expect(left).toMatch(/^1 row without a time/m)
})

describe('a ScreenOrigin', () => {
  test('may name its sides in any order', async () => {
    const { looks } = await read({ origin: ['left', 'bottom'] })
    expect(looks[0].samples[0]).toEqual([0, 500, 500])
  })
  test.each([[['top', 'right']], [['top', 'center']], [['bottom', 'right']]])('%j is refused', async (origin) => {
    await expect(read({ origin })).rejects.toThrow(/gives \["\w+","\w+"\] as ScreenOrigin; only \["top", "left"\]/)
  })
})

test('x and y in different units are refused', async () => {
  await expect(read({ side: { y_coordinate: { Units: 'normalized' } } })).rejects.toThrow(
    /gives x in pixel and y in normalized: both must have the same unit/,
  )
  expect((await read({ side: { y_coordinate: { Units: 'px' } } })).looks).toHaveLength(1)
})

describe('events', () => {
  test('that overlap are to be checked, since the first is cut off', async () => {
    const { looks, doubts } = await read({
      events: [
        [0, 0.9, 'block'],
        [0.3, 0.2, 'face'],
      ],
    })
    expect(looks.map(({ item, samples }) => [item, samples.length])).toEqual([
      ['block', 30],
      ['face', 20],
    ])
    expect(doubts).toMatch(
      /events of .*_events.tsv overlap: block at 0 s goes on when face begins, and is cut off there/,
    )
  })
  test('that show an item without any sample are to be checked, as times in ms', async () => {
    const { doubts } = await read({
      events: [
        [0, 500, 'dog'],
        [500, 500, 'cat'],
      ],
    })
    expect(doubts).toMatch(
      /1 of 2 events that show an item have no sample in .*, such as cat at 500 s: check that onset/,
    )
    expect((await read({ events: [[0, 0.5, 'dog']] })).doubts).not.toMatch(/no sample|overlap/)
  })
})
