import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const mapping = mappingOf({
  time: { column: 't', unit: 'ms', origin: 'item' },
  mouse: { x: 'mx', y: 'my', unit: 'px' },
  screen: { widthPx: 1000, heightPx: 800 },
})

type Sample = { t: number; x: number | string; y: number | string; mx?: number; my?: number }

/** Gaze as eyes move it: about three fixations a second, at 100 Hz. */
const gaze = (n: number): Sample[] =>
  Array.from({ length: n }, (_, i) => {
    const place = Math.floor(i / 33)
    return { t: 10 * i, x: 100 + ((place * 370) % 800), y: 100 + ((place * 230) % 600) }
  })

/** Returns what is to be checked of people, each with samples of their own. */
async function checked(people: Record<string, Sample[]>): Promise<string> {
  const rows = Object.entries(people).flatMap(([who, samples]) =>
    samples.map(({ t, x, y, mx = '', my = '' }) => [who, 'dog', t, x, y, mx, my].join()),
  )
  const directory = writeFiles({ 'a.csv': `who,what,t,x,y,mx,my\n${rows.join('\n')}\n` })
  return (await convertAndRead([directory], { mapping, isImported: false })).conversion.doubts.join('\n')
}

const one = (change: (sample: Sample, i: number) => Sample, n = 600) => checked({ kim: gaze(n).map(change) })

describe('an import says what no eye, tracker or mouse does', () => {
  test('and nothing of what they do', async () => {
    expect(await one((sample) => ({ ...sample, mx: 5, my: 6 }))).toBe('')
    expect(await checked({ a: gaze(600), b: gaze(700), c: gaze(300), d: gaze(500) })).toBe('')
  })

  test.each<[string, (sample: Sample, i: number) => Sample, RegExp]>([
    [
      'times in whole seconds',
      (one) => ({ ...one, t: Math.floor(one.t / 1000) * 1000 }),
      /times repeat .* of kim: 99 %/,
    ],
    ['times that come twice', (one, i) => ({ ...one, t: 20 * Math.floor(i / 2) }), /times repeat .* of kim: 50 %/],
    ['times that stand still', (one) => ({ ...one, t: 7 }), /times repeat or do not advance .* of kim: 100 %/],
    [
      'times that go back',
      (one, i) => ({ ...one, t: one.t + (i % 3 === 0 ? 25 : 0) }),
      /times repeat or do not advance/,
    ],
    ['seconds for ms', (one) => ({ ...one, t: one.t * 100 }), /median step .* more than 50 ms .* kim.* about 1000 ms/],
    [
      's for µs',
      (one) => ({ ...one, t: one.t / 100 }),
      /samples of kim follow each other every 0.1 ms, which is 10,000 Hz/,
    ],
    ['a spot', (one) => ({ ...one, x: 500, y: 400 }), /all gaze is on one spot in the data of kim, at 500, 400 px/],
    ['a slow tracker', (one) => ({ ...one, t: one.t * 6 }), /median step .* about 60 ms/],
    [
      'an origin in the middle',
      (one) => ({ ...one, x: +one.x - 2000 }),
      /more than half of the gaze lies outside .* kim: 100 % outside of 1000 × 800 px/,
    ],
    ['another unit of gaze', (one) => ({ ...one, y: +one.y * 1000 }), /more than half of the gaze lies outside/],
    [
      'fractions for px',
      (one) => ({ ...one, x: +one.x / 1000, y: +one.y / 800 }),
      /the gaze lies within 3 px .* corner .* fractions/,
    ],
    [
      'another unit of the mouse',
      (one) => ({ ...one, mx: 1_536_000, my: 4000 }),
      /more than half of the mouse's positions lie outside/,
    ],
    [
      'gaze that is mostly lost',
      (one, i) => (i % 5 ? { ...one, x: '', y: '' } : one),
      /most gaze is lost .* kim: 80 %/,
    ],
    ['eyes that stay', (one) => ({ ...one, x: 500, y: 400 }), /far fewer fixations .* kim: 0\.\d+ a second/],
    [
      'a code for lost gaze',
      (one, i) => (i % 20 < 2 ? { ...one, x: -1000, y: -800 } : one),
      /one position in or beyond a corner .* of kim, as a code for lost gaze does: 10 % .* at -1000, -800 px/,
    ],
    [
      'lost gaze in the upper left corner',
      (one, i) => (i % 50 === 0 ? { ...one, x: 0, y: 0 } : one),
      /one position in or beyond a corner .*: 2 % of the gaze is at 0, 0 px/,
    ],
    [
      'eyes that never rest',
      (one, i) => ({ ...one, x: 50 + 900 * (i % 2), y: 50 + ((i * 97) % 700) }),
      /far (fewer|more) fixations/,
    ],
  ])('%s', async (_, change, said) => {
    expect(await one(change)).toMatch(said)
  })

  test('and that millimetres may have been read as px, where all gaze is in a third of the window', async () => {
    const mm = (sample: Sample) => ({ ...sample, x: +sample.x / 3, y: +sample.y / 3 })
    expect(await one(mm, 1200)).toMatch(/all gaze lies in the upper left third of 1000 × 800 px in the data of kim/)
    expect(await one((sample) => sample, 1200)).toBe('')
  })

  test('and that percent may have been read as px, where all gaze is within 110 px of the corner', async () => {
    const percent = (sample: Sample) => ({ ...sample, x: +sample.x / 10, y: +sample.y / 8 })
    expect(await one(percent, 100)).toMatch(/all gaze lies within 110 px of the upper left corner .* may be percent/)
    expect(await one(percent, 1200)).not.toMatch(/upper left third/)
    expect(await one((sample) => ({ ...sample, x: +sample.x / 4, y: +sample.y / 4 }), 100)).not.toMatch(/percent/)
  })

  test('once for all, with how many and whom', async () => {
    const late = gaze(300).map((sample) => ({ ...sample, t: sample.t * 100 }))
    const said = await checked({ a: gaze(300), b: late, c: gaze(300), d: late })
    expect(said.match(/median step/g)).toHaveLength(1)
    expect(said).toMatch(/in the data of 2 of 4 participants, such as b,/)
  })

  test('but not of eyes that look past a corner, now here, now there', async () => {
    const away = (sample: Sample, i: number) =>
      i % 20 < 2 ? { ...sample, x: -30 - (i % 7), y: -20 - (i % 11) } : sample
    expect(await one(away)).not.toMatch(/corner/)
    expect(await one((sample, i) => (i < 4 ? { ...sample, x: -1, y: -1 } : sample))).not.toMatch(/corner/)
  })

  test('a few samples are too few to count fixations', async () => {
    expect(await one((sample) => ({ ...sample, x: 500, y: 400 }), 200)).toBe('')
  })
})

test('tests that a column cuts at each row are named, and those without any fixation', async () => {
  const rows = (item: (i: number) => string, step: number) =>
    gaze(600).map(({ x, y }, i) => ['kim', item(i), i * step, +x + 7 * (i % 2), y, '', ''].join())
  const said = async (lines: string[]) => {
    const directory = writeFiles({ 'a.csv': `who,what,t,x,y,mx,my\n${lines.join('\n')}\n` })
    return (await convertAndRead([directory], { mapping, isImported: false })).conversion.doubts.join('\n')
  }
  expect(await said(rows((i) => `item ${i}`, 10))).toMatch(/600 of 600 tests have no more than 2 samples/)
  expect(await said(rows(() => 'dog', 0.01))).toMatch(/no test has a fixation/)
})

describe('a participant who is unlike all others is named', () => {
  const change = (by: (sample: Sample) => Sample) =>
    checked({ a: gaze(400), b: gaze(400), c: gaze(400).map(by), d: gaze(400) })
  test('by the sampling rate', async () => {
    expect(await change((sample) => ({ ...sample, t: sample.t / 2 }))).toMatch(
      /sampling rate of 1 of 4 participants, such as c, .* every 5 ms, and not every 10 ms/,
    )
  })
  test('by where the gaze is', async () => {
    const percent = await change((sample) => ({ ...sample, x: +sample.x / 10, y: +sample.y / 8 }))
    expect(percent).toMatch(/gaze of 1 of 4 participants, such as c, is unlike that of all others/)
    const metres = await change((sample) => ({ ...sample, x: +sample.x / 4000, y: +sample.y / 4000 }))
    expect(metres).toMatch(/gaze of 1 of 4 participants, such as c, is unlike that of all others/)
  })
  test('but not where half of all differ, as of two labs, or where there are two', async () => {
    const fast = gaze(400).map((sample) => ({ ...sample, t: sample.t / 2 }))
    expect(await checked({ a: gaze(400), b: fast, c: gaze(400), d: fast })).not.toMatch(/unlike/)
    expect(await checked({ a: gaze(400), b: fast })).not.toMatch(/unlike/)
  })
  test('and a gap in a recording makes no other rate', async () => {
    const paused = gaze(400).map((sample, i) => ({ ...sample, t: sample.t + (i > 200 ? 3000 : 0) }))
    expect(await checked({ a: gaze(400), b: gaze(400), c: paused, d: gaze(400) })).not.toMatch(/sampling rate/)
  })
})

describe('tests without samples', () => {
  const trial = (stimulus: string, samples: object[]) => ({
    trial_type: 'image',
    stimulus,
    innerWidth: 1000,
    innerHeight: 800,
    webgazer_data: samples,
  })
  test('are counted, with an example; of no test with gaze, the counts tell', async () => {
    const samples = gaze(50).map(({ t, x, y }) => ({ t, x, y }))
    const directory = writeFiles({ 'kim.json': JSON.stringify([trial('a.png', samples), trial('b.png', [])]) })
    const { conversion } = await convertAndRead([directory], { isImported: false })
    expect(conversion.doubts.join('\n')).not.toMatch(/interrupted/)
    expect(conversion.doubts.join('\n')).toMatch(/1 of 2 tests has no samples: that of kim at b\.png/)
    expect(conversion.counts.testsWithGaze).toBe(1)
  })
})

test('a test with a gap of more than 2 s is to be checked, whatever the format', async () => {
  const samples = gaze(100).map(({ t, x, y }, i) => ({ t: t + (i >= 50 ? 7000 : 0), x, y }))
  const trial = { trial_type: 'image', stimulus: 'a.png', innerWidth: 1000, innerHeight: 800, webgazer_data: samples }
  const { conversion } = await convertAndRead([writeFiles({ 'kim.json': JSON.stringify([trial]) })])
  expect(conversion.doubts.join('\n')).toMatch(/^one test is interrupted, for up to 7 s, first that of kim at a.png:/m)
})

test('samples that begin long after the onset are to be checked, as times of a clock that are taken to count from it', async () => {
  const late = gaze(100).map((sample) => ({ ...sample, t: sample.t + 90_000 }))
  expect(await checked({ kim: gaze(100), lee: late })).toMatch(
    /^the samples of one test begin more than a minute after the onset, first those of lee at dog, after 90 s/m,
  )
})

test('rows with fewer cells than the header has names are told, with their file', async () => {
  const rows = gaze(60).map(({ t, x, y }, i) => ['kim', 'dog', t, x, ...(i === 7 ? [] : [y, '', ''])].join())
  const directory = writeFiles({ 'a.csv': `who,what,t,x,y,mx,my\n${rows.join('\n')}\n` })
  const { conversion } = await convertAndRead([directory], { mapping, isImported: false })
  expect(conversion.assumed).toContainEqual(
    expect.stringMatching(/^rows with fewer cells than the header has names lack the last ones \(.*a\.csv\)$/),
  )
})
