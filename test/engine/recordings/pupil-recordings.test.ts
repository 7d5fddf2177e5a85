import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const HEADER = 'section id,recording id,timestamp [ns],gaze x [px],gaze y [px],worn,azimuth [deg],elevation [deg]'
type Gaze = {
  x: number | string
  y: number | string
  azimuth: number | string
  elevation: number | string
  id?: string
}

const gazeCsv = (n: number, gazeAt: (i: number) => Gaze) =>
  `${[
    HEADER,
    ...Array.from({ length: n }, (_, i) => {
      const { x, y, azimuth, elevation, id = 'r1' } = gazeAt(i)
      return ['s', id, `${1_700_000_000n * 10n ** 9n + BigInt(i) * 5_000_000n}`, x, y, 1, azimuth, elevation].join()
    }),
  ].join('\n')}\n`

describe('the scene camera of a recording without info.json', () => {
  const cameraOf = async (gazeAt: (i: number) => Gaze, screen: { widthPx: number; heightPx: number } | null = null) => {
    const { tests, conversion } = await convertAndRead([writeFiles({ 'ride/gaze.csv': gazeCsv(60, gazeAt) })], {
      screen,
    })
    const [{ browser_width_px, browser_height_px }] = tests
    return { size: `${browser_width_px}x${browser_height_px}`, doubts: conversion.doubts.join() }
  }
  /** Gaze from some degrees on, on a camera with so many px per degree. */
  const seen = (middleX: number, middleY: number, fromDeg: number, pxPerDeg: number) => (i: number) => {
    const deg = fromDeg + i / 4
    return { x: middleX + deg * pxPerDeg, y: middleY - deg * pxPerDeg, azimuth: deg, elevation: deg }
  }
  test.each<[string, (i: number) => Gaze, string]>([
    ['is that of Invisible, seen from the middle', seen(544, 540, -5, 13), '1088x1080'],
    ['is that of Invisible, seen from the side', seen(550, 535, 10, 13), '1088x1080'],
    ['is that of Neon', seen(800, 600, -5, 15), '1600x1200'],
    ['is that of Neon, seen from the side', seen(790, 610, -30, 15), '1600x1200'],
    [
      'is told where the gaze never moves',
      (i) => ({ x: 544 + (i % 3), y: 540, azimuth: 0, elevation: 0 }),
      '1088x1080',
    ],
  ])('%s, without a doubt', async (_what, gazeAt, size) => {
    expect(await cameraOf(gazeAt)).toEqual({ size, doubts: '' })
  })
  test.each<[string, (i: number) => Gaze]>([
    ['without angles', (i) => ({ x: 500 + i, y: 500, azimuth: '', elevation: '' })],
    ['whose angles fit no camera', seen(320, 240, -5, 10)],
    ['that stays at an angle', () => ({ x: 700, y: 540, azimuth: 12, elevation: 0 })],
  ])('is to be checked for a gaze %s', async (_what, gazeAt) => {
    const { size, doubts } = await cameraOf(gazeAt)
    expect(size).toBe('1600x1200')
    expect(doubts).toMatch(/1600 × 1200 px of the scene camera of Neon, since no info.json says .* 1088 × 1080/)
  })
  test('is what was given', async () => {
    const given = { widthPx: 640, heightPx: 480 }
    expect(await cameraOf(seen(320, 240, -5, 10), given)).toEqual({ size: '640x480', doubts: '' })
  })
})

test('several recordings in one gaze.csv are of several participants, which is said', async () => {
  const text = gazeCsv(9, (i) => ({
    x: 800,
    y: 600,
    azimuth: 0,
    elevation: 0,
    id: ['r1', 'r2', 'r3'][Math.floor(i / 3)],
  }))
  const { participants, conversion } = await convertAndRead([writeFiles({ 'ride/gaze.csv': text })])
  expect(participants.map((row) => row.external_id)).toEqual(['ride', 'ride (r2)', 'ride (r3)'])
  expect(conversion.doubts.join()).toMatch(/gaze.csv holds several recordings, and no info.json says who wore/)
})

test('events with start and end in front bound items', async () => {
  const at = (ms: number) => `${1_700_000_000n * 10n ** 9n + BigInt(ms) * 1_000_000n}`
  const events = [
    ['start_face', 10],
    ['end_face', 60],
    ['start house', 100],
    ['end house', 150],
  ] as const
  const files = {
    'ride/gaze.csv': gazeCsv(60, (i) => ({ x: 5 * i, y: 7, azimuth: '', elevation: '' })),
    'ride/events.csv': `recording id,timestamp [ns],name,type\n${events.map(([name, ms]) => `r1,${at(ms)},${name},recording\n`).join('')}`,
  }
  const { looks } = await convertAndRead([writeFiles(files)], { screen: { widthPx: 1600, heightPx: 1200 } })
  expect(looks.map(({ item, samples }) => [item, samples.length])).toEqual([
    ['face', 10],
    ['house', 10],
  ])
})

describe('events of a recording', () => {
  const still = gazeCsv(100, () => ({ x: 800, y: 600, azimuth: 0, elevation: 0 }))
  const read = async (names: string[], content = still) => {
    const at = (i: number) => `${1_700_000_000n * 10n ** 9n + BigInt(i) * 100_000_000n}`
    const events = names.map((name, i) => `r1,${at(i)},${name},cloud\n`).join('')
    const files = { 'ride/gaze.csv': content, 'ride/events.csv': `recording id,timestamp [ns],name,type\n${events}` }
    const { looks, conversion } = await convertAndRead([writeFiles(files)])
    return { items: looks.map(({ item }) => item), doubts: conversion.doubts.join('\n') }
  }
  test('that overlap are to be checked, since the first is cut off', async () => {
    const { items, doubts } = await read(['block.begin', 'face.begin', 'face.end', 'block.end'])
    expect(items).toEqual(['block', 'face'])
    expect(doubts).toMatch(/events of ride overlap: block goes on when face begins, and is cut off there/)
    expect((await read(['dog.begin', 'dog.end', 'cat.begin', 'cat.end'])).doubts).not.toMatch(/overlap/)
    expect((await read(['dog', 'cat', 'recording.end'])).doubts).not.toMatch(/overlap/)
  })
  test('a timestamp that a spreadsheet rounded is refused, with its value', async () => {
    await expect(read([], still.replace(/17000000000\d+/g, '1.7E+18'))).rejects.toThrow(
      /line 2: timestamp \[ns\] must be a whole number of ns, got "1.7E\+18": spreadsheets round it/,
    )
  })
})
