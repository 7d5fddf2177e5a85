import { afterEach, describe, expect, test } from 'vitest'
import { asc, end, gaze, msg, recording, start } from './asc.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const NONE = { trial: null, end: null, item: null, onset: null }

/** Returns the item, the number of samples and the x of all gazes, test by test. */
async function looksOf(content: string | Record<string, string>, messages: Partial<typeof NONE> | object = NONE) {
  const files = typeof content === 'string' ? { 'kim.asc': content } : content
  const { looks, conversion } = await convertAndRead([writeFiles(files)], {
    messages: { ...NONE, ...messages },
    isImported: false,
  })
  const shown = looks.map(({ item, samples }) => [item, samples.length, [...new Set(samples.map(([, x]) => x))].join()])
  return {
    shown,
    said: [...conversion.assumed, ...conversion.doubts, ...conversion.left].join('\n'),
    looks,
    conversion,
  }
}

describe('a trial without a result', () => {
  const cross = (tMs: number) => [...start(tMs), ...gaze(tMs, 2, 960)]
  const trials = [300, 900, 1500].flatMap((x, k) => {
    const t = 1000 * (k + 1)
    return [...cross(t), msg(t + 20, `start_trial ${k}`), ...gaze(t + 20, 3, x), end(t + 50)]
  })
  test('ends with its recording', async () => {
    const { shown, said } = await looksOf(asc(trials), { trial: /^start_trial (\d+)/ })
    expect(shown).toEqual([
      ['trial 0', 3, '300'],
      ['trial 1', 3, '900'],
      ['trial 2', 3, '1500'],
    ])
    expect(said).toMatch(/6 samples outside of any trial/)
  })
  test('does so, too, where the others have one', async () => {
    const lines = trials.flatMap((line) => (/^END/.test(line) ? [line, msg(1, 'TRIAL_RESULT 0')] : [line]))
    lines.splice(lines.indexOf(msg(1, 'TRIAL_RESULT 0')), 1)
    const { shown } = await looksOf(asc(lines), { trial: /^start_trial (\d+)/ })
    expect(shown.map(([, n, x]) => [n, x])).toEqual([
      [3, '300'],
      [3, '900'],
      [3, '1500'],
    ])
  })
  test('that began before its recording ends with that, and not with the one before', async () => {
    const lines = [msg(900, 'TRIALID 1'), ...recording(1000, 300), ...recording(1500, 960)]
    const next = [msg(1900, 'TRIALID 2'), ...recording(2000, 900)]
    expect((await looksOf(asc(lines, next))).shown).toEqual([
      ['trial 1', 3, '300'],
      ['trial 2', 3, '900'],
    ])
  })
})

test('a trial with a result keeps all recordings before it', async () => {
  const trial = (t: number, x: number) => [
    msg(t - 10, `TRIALID ${x}`),
    ...recording(t, x),
    ...recording(t + 100, x + 1),
    msg(t + 200, 'TRIAL_RESULT 0'),
    ...recording(t + 300, 960),
  ]
  expect((await looksOf(asc(trial(1000, 300), trial(2000, 900)))).shown).toEqual([
    ['trial 300', 6, '300,301'],
    ['trial 900', 6, '900,901'],
  ])
})

test('a message ends trials of a recording that runs on, where a pattern says which', async () => {
  const trial = (t: number, x: number) => [
    msg(t, `begin p${x}`),
    ...gaze(t, 3, x),
    msg(t + 30, 'stop_trial'),
    ...gaze(t + 30, 2, 960),
  ]
  const content = asc(start(1000), trial(1000, 300), trial(1100, 900), end(1200))
  const { shown } = await looksOf(content, { trial: /^begin (\w+)/, end: /^stop_trial/ })
  expect(shown).toEqual([
    ['p300', 3, '300'],
    ['p900', 3, '900'],
  ])
  expect((await looksOf(content, { trial: /^begin (\w+)/ })).shown.map(([, n]) => n)).toEqual([5, 5])
})

test('trials that only late messages begin are known from the start', async () => {
  const filler = Array.from({ length: 2000 }, (_, i) => msg(2000 + i, `frame ${i} of the practice is shown now`))
  const content = asc(recording(1000, 960), filler, msg(8900, 'TRIALID 7'), recording(9000, 300))
  const { shown, said } = await looksOf(content)
  expect(shown).toEqual([['trial 7', 3, '300']])
  expect(said).toMatch(/3 samples outside of any trial/)
})

test('recordings are no trials where a pattern says what begins one, and nothing matches it', async () => {
  const files = { 'a.asc': asc(recording(1000, 300, [msg(1000, 'begin x')])), 'b.asc': asc(recording(1000, 900)) }
  const { shown, said } = await looksOf(files, { trial: /^begin (\w+)/ })
  expect(shown).toEqual([['x', 3, '300']])
  expect(said).toMatch(/3 samples outside of any trial \(.*b\.asc\)/)
})

describe('a START without END before it', () => {
  test('begins another recording, and that is to be checked', async () => {
    const content = asc(start(1000), gaze(1000, 3, 300), start(3000), gaze(3000, 3, 900), end(3030))
    const { shown, said } = await looksOf(content)
    expect(shown).toEqual([
      ['recording 1', 3, '300'],
      ['recording 2', 3, '900'],
    ])
    expect(said).toMatch(/a recording of .*kim\.asc without END: the next START ends it/)
  })
  test('ends a trial that has no result', async () => {
    const lines = [msg(990, 'TRIALID 1'), ...start(1000), ...gaze(1000, 3, 300), ...start(2000), ...gaze(2000, 2, 960)]
    const next = [msg(2020, 'TRIALID 2'), ...gaze(2020, 3, 900), end(2050)]
    expect((await looksOf(asc(lines, next))).shown).toEqual([
      ['trial 1', 3, '300'],
      ['trial 2', 3, '900'],
    ])
  })
  test('is the same recording where no sample lies between', async () => {
    const { shown, said } = await looksOf(asc(start(1000), start(1000), gaze(1000, 3, 300), end(1030)))
    expect(shown).toEqual([['recording 1', 3, '300']])
    expect(said).not.toMatch(/END/)
  })
})

test('trials that have no samples are counted, and are no tests', async () => {
  const { shown, said } = await looksOf(
    asc(msg(1, 'TRIALID 1'), msg(2, 'SYNCTIME'), msg(3, 'TRIAL_RESULT 0'), msg(990, 'TRIALID 2'), recording(1000, 300)),
  )
  expect(shown).toEqual([['trial 2', 3, '300']])
  expect(said).toMatch(/1 trial without samples/)
})

describe('two messages of an onset', () => {
  const trial = (...onsets: [number, string][]) =>
    asc(
      msg(990, 'TRIALID 1'),
      start(1000),
      onsets.map(([t, text]) => msg(t, text)),
      gaze(1000, 9, 300),
      end(1090),
    )
  test('are to be checked; the first is taken', async () => {
    const { looks, said } = await looksOf(trial([1000, 'DISPLAY_ON fixation'], [1050, 'DISPLAY_ON picture']))
    expect(looks[0].samples[0][0]).toBe(0)
    expect(said).toMatch(/several messages of an onset are in a trial, trial 1, where the second comes 50 ms after/)
  })
  test('that a pattern names, too', async () => {
    const { said } = await looksOf(trial([1000, 'on a'], [1080, 'on b']), { onset: /^on / })
    expect(said).toMatch(/the second comes 80 ms after the first/)
  })
  test('are one within a frame, as the usual templates send them', async () => {
    const { said } = await looksOf(trial([1000, '-3 DISPLAY_ON'], [1004, 'SYNCTIME 7']))
    expect(said).not.toMatch(/several messages/)
  })
  test('of different trials are no two', async () => {
    const one = (t: number) => [msg(t - 9, `TRIALID ${t}`), ...recording(t, 5, [msg(t, 'SYNCTIME')])]
    expect((await looksOf(asc(one(1000), one(2000)))).said).not.toMatch(/several messages/)
  })
})

describe('samples and events in files of their own', () => {
  const whole = (t: number, x: number) =>
    asc(
      msg(t - 10, 'TRIALID 1'),
      start(t),
      msg(t + 10, 'SYNCTIME'),
      gaze(t, 4, x),
      `SBLINK L ${t + 40}`,
      gaze(t + 40, 2, x),
      `EBLINK L ${t + 40}\t${t + 50}\t10`,
      gaze(t + 60, 2, x),
      end(t + 80),
      msg(t + 81, 'TRIAL_RESULT 0'),
    )
  const lines = (text: string, isSample: boolean) =>
    text
      .split('\n')
      .filter((line) => line !== '' && /^\d/.test(line) === isSample)
      .map((line) => `${line}\n`)
      .join('')
  const pair = (text: string): [string, string] => [lines(text, true), lines(text, false)]

  test('are read as the one file would be', async () => {
    const [samples, events] = pair(whole(1000, 300))
    const apart = await looksOf({ 'p1_samples.asc': samples, 'p1_events.asc': events })
    const { looks, conversion } = await looksOf({ 'kim.asc': whole(1000, 300) })
    expect(apart.looks).toEqual(looks)
    expect(looks[0].samples.map(([t, x]) => [t, x])).toEqual(
      [-10, 0, 10, 20, 30, 40, 50, 60].map((t) => [t, t === 30 || t === 40 ? null : 300]),
    )
    expect(apart.conversion.files).toHaveLength(2)
    expect(conversion.counts.samples).toBe(8)
  })
  test('are read alike with decimal commas, between ms and without flags', async () => {
    const halves = whole(1000, 300)
      .replace(/^(\d+)\t/gm, '$1.5\t')
      .replace(/^((?:START|END|MSG)\t|[SE]BLINK L |EBLINK L \d+\.5\t)(\d+)/gm, '$1$2.5')
      .replace(/^(EBLINK L \d+\.5\t\d+)/gm, '$1.5')
    const { looks } = await looksOf({ 'kim.asc': halves })
    const commas = pair(halves.replace(/(\d)\.(\d)/g, '$1,$2'))
    expect(commas.join('')).toContain('MSG\t1010,5 SYNCTIME')
    const apart = await looksOf({ 'p1_samples.asc': commas[0], 'p1_events.asc': commas[1] })
    expect(apart.looks).toEqual(looks)
    const bare = commas[0].replace(/\t\.\.\.$/gm, '')
    expect((await looksOf({ 's.asc': bare, 'e.asc': commas[1] })).looks).toEqual(looks)
    await expect(looksOf({ 's.asc': bare })).rejects.toThrow(/1 file of samples alone \(edf2asc -s\)/)
  })
  test.each([
    [
      ['a/samples.asc', 'a/events.asc'],
      ['b/samples.asc', 'b/events.asc'],
    ],
    [
      ['smp/p1.asc', 'evt/p1.asc'],
      ['smp/p2.asc', 'evt/p2.asc'],
    ],
    [
      ['p1-s.asc', 'p1-e.asc'],
      ['p2-s.asc', 'p2-e.asc'],
    ],
  ])('of several people go together by their names, where their times are the same: %j, %j', async (one, other) => {
    const [first, second] = [pair(whole(1000, 300)), pair(whole(1000, 900))]
    const { looks } = await looksOf({
      ...{ [one[0]]: first[0], [one[1]]: first[1] },
      ...{ [other[0]]: second[0], [other[1]]: second[1] },
    })
    expect(looks.map(({ samples }) => samples[0][1])).toEqual([300, 900])
  })
  test('go together by their times, whatever they are called', async () => {
    const [first, second] = [pair(whole(1000, 300)), pair(whole(500_000, 900))]
    const { shown } = await looksOf({ 'a.asc': second[0], 'b.asc': first[0], 'x.asc': first[1], 'y.asc': second[1] })
    expect(shown.map(([, n, x]) => [n, x])).toEqual([
      [8, '300,'],
      [8, '900,'],
    ])
  })
  test('of which one is missing are refused, with what to do', async () => {
    const [samples, events] = pair(whole(1000, 300))
    await expect(looksOf({ 's.asc': samples })).rejects.toThrow(/1 file of samples alone \(edf2asc -s\).*s\.asc/)
    await expect(looksOf({ 'e.asc': events })).rejects.toThrow(/1 file of events alone \(edf2asc -e\).*e\.asc/)
    const [late] = pair(whole(900_000, 300))
    await expect(looksOf({ 'e.asc': events, 's.asc': late })).rejects.toThrow(/edf2asc -s.*edf2asc -e/s)
  })
})

describe('a code for lost gaze', () => {
  const coded = (code: string, pupil = '    0.0') =>
    asc(start(1000), gaze(1000, 2, 300), `1020\t${code}\t${code}\t${pupil}\t...`, gaze(1030, 2, 300), end(1050))
  test.each(['-9999.0', '-1.0', '0.0', '-32768', '100000000.0', '5000'])(
    '%s, with no pupil, is lost, and said',
    async (code) => {
      const { looks, said } = await looksOf(coded(code))
      expect(looks[0].samples.map(([, x]) => x)).toEqual([300, 300, null, 300, 300])
      expect(said).toContain(`1 gaze point that is a code for lost gaze (`)
      expect(said).toContain(`the first is ${Number(code)}`)
    },
  )
  test('in the pupil, too, is one; in one eye alone leaves the other', async () => {
    expect((await looksOf(coded('-999', '-999'))).looks[0].samples[2][1]).toBe(null)
    const both = asc(start(1000, 'LEFT\tRIGHT'), '1000\t-99.0\t-99.0\t0.0\t300.0\t500.0\t900.0\t.....', end(1010))
    expect((await looksOf(both)).looks[0].samples).toEqual([[0, 300, 500]])
  })
  test.each([
    ['500.0', '    0.0'],
    ['-20.0', '  900.0'],
    ['0.0', '  900.0'],
  ])('is not %s with a pupil of %s, which may be a gaze', async (code, pupil) => {
    expect((await looksOf(coded(code, pupil))).looks[0].samples[2][1]).toBe(Number(code))
  })
})

describe('eyes that change', () => {
  const both = (t: number) => [
    ...start(t, 'LEFT\tRIGHT'),
    `${t}\t  600.0\t  500.0\t 900.0\t  620.0\t  500.0\t 900.0\t.....`,
    end(t + 10),
  ]
  const eyeIn = async (content: string) => {
    const { conversion, looks } = await looksOf(content)
    const directory = writeFiles({ 'kim.asc': content })
    const { directory: bundle } = await convertAndRead([directory], { isImported: false })
    const { readFileSync } = await import('node:fs')
    const { eye } = JSON.parse(readFileSync(`${bundle}/recordings.json`, 'utf8'))
    return { eye, assumed: conversion.assumed.join('\n'), looks }
  }
  const one = (t: number, eye: string) => [...start(t, eye), ...gaze(t, 1, 700), end(t + 10)]
  test.each([
    ['both, then the right', [both(1000), one(2000, 'RIGHT')], null],
    ['the left, then the right', [one(1000, 'LEFT'), one(2000, 'RIGHT')], null],
    ['the right, then the left', [one(1000, 'RIGHT'), one(2000, 'LEFT')], null],
    ['always both', [both(1000), both(2000)], 'both'],
    [
      'a recording of the left without samples, then the right',
      [start(1000, 'LEFT'), end(1010), one(2000, 'RIGHT')],
      'right',
    ],
  ])('%s', async (_, lines, eye) => {
    expect((await eyeIn(asc(...lines.flat()))).eye).toBe(eye)
  })
  test('of two of which the mean is taken, that is said, whatever comes later', async () => {
    const { assumed, looks } = await eyeIn(asc(both(1000), one(2000, 'LEFT')))
    expect(looks.map(({ samples }) => samples[0][1])).toEqual([610, 700])
    expect(assumed).toMatch(/gaze of two eyes is their mean/)
  })
})

describe('more samples a second than ms', () => {
  const times = async (list: string[], rateHz: number) => {
    const lines = list.map((t) => `${t}\t  300.0\t  500.0\t  900.0\t...`)
    const { looks, said } = await looksOf(asc(start(1000, 'LEFT', rateHz), lines, end(1010)))
    return { times: looks[0].samples.map(([t]) => t), said }
  }
  test('in whole ms lie half a ms apart at 2000 Hz, and that is said', async () => {
    const { times: read, said } = await times(['1000', '1000', '1001', '1001', '1002', '1002'], 2000)
    expect(read).toEqual([0, 0.5, 1, 1.5, 2, 2.5])
    expect(said).toMatch(/too coarse .* of the same time/)
  })
  test('with decimals are as they are', async () => {
    expect((await times(['1000.0', '1000.5', '1001.0'], 2000)).times).toEqual([0, 0.5, 1])
  })
  test('that come three times in a ms lie no further than the next one', async () => {
    expect((await times(['1000', '1000', '1000', '1001'], 2000)).times).toEqual([0, 0.5, 0, 1])
  })
  test('are not moved at 1000 Hz, where a time that comes again is a fault', async () => {
    expect((await times(['1000', '1000', '1001'], 1000)).times).toEqual([0, 0, 1])
  })
})

describe('without SYNCTIME', () => {
  const onsets = (text: string) =>
    asc(
      ...[1, 2, 3].map((k) => [
        msg(1000 * k - 10, `TRIALID ${k}`),
        ...recording(1000 * k, 300, [msg(1000 * k + 8, text)]),
      ]),
    )
  test('a message that comes once in each trial is proposed as the onset, and messages are listed once', async () => {
    const { conversion } = await convertAndRead([writeFiles({ 'kim.asc': onsets('-14 face onset') })])
    const said = [...conversion.doubts, ...conversion.left].join('\n')
    expect(said).toMatch(
      /"face onset" comes once in each trial, and may be the onset: --onset-message '\^\(-\?\\d\+ \)\?face onset'/,
    )
    expect(said.match(/"face onset" \(3 ×\)/g)).toHaveLength(1)
    expect(said).toContain('latencies count from the first sample')
  })
  test('other messages are not', async () => {
    const { conversion } = await convertAndRead([writeFiles({ 'kim.asc': onsets('answer 3') })])
    expect(conversion.doubts.join('\n')).not.toContain("--onset-message '^")
  })
})

test('a blink lasts from the start that its end names, however late its first line', async () => {
  const lines = [...gaze(1000, 10, 300)]
  lines.splice(6, 0, 'SBLINK L 1060')
  lines.push('EBLINK L 1030 1070 40')
  const { looks } = await convertAndRead([writeFiles({ 'kim.asc': asc(start(1000), lines, end(1100)) })])
  expect(looks[0].samples.map(([, x]) => x === null)).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 0, 0].map(Boolean))
})
