import { afterEach, describe, expect, test } from 'vitest'
import { parseScreens } from '../../../engine/recordings/reader/screens-table.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { tableText } from './shapes.ts'

afterEach(cleanUp)

type Trial = Record<string, unknown>
const gaze = [{ x: 10, y: 20, t: 30 }]
const look = (fields: Trial = {}): Trial => ({
  trial_type: 'html-keyboard-response',
  subject_id: 'Ada',
  stimulus: 'a.png',
  webgazer_data: gaze,
  webgazer_targets: {},
  ...fields,
})
const json = (trials: Trial[]) => JSON.stringify(trials.map((trial, i) => ({ trial_index: i, ...trial })))
const csv = (trials: Trial[]) => {
  const names = [...new Set(trials.flatMap((trial) => Object.keys(trial)))]
  const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value ?? ''))
  return tableText([
    ['trial_index', ...names],
    ...trials.map((t, i) => [String(i), ...names.map((name) => text(t[name]))]),
  ])
}
const windowsOf = (tests: Record<string, string>[]) =>
  tests.map(({ browser_width_px, browser_height_px }) => `${browser_width_px}x${browser_height_px}`)
const screenTarget = (selector: string, width: number, height: number) => ({
  [selector]: { x: 0, y: 0, left: 0, top: 0, width, height, right: width, bottom: height },
})

describe.each([
  ['JSON', json],
  ['CSV', csv],
])('a window in %s is what is saved', (_kind, write) => {
  test.each<[string, Trial[], string]>([
    ['by the browser-check plugin', [{ trial_type: 'browser-check', width: 1440, height: 820 }, look()], '1440x820'],
    ['as innerWidth', [look({ innerWidth: 1280, innerHeight: 690 })], '1280x690'],
    ['as window_width', [look({ window_width: 1281, window_height: 691 })], '1281x691'],
    ['in an object', [look({ system: { windowW: 1282, windowH: 692, screenW: 1, screenH: 1 } })], '1282x692'],
    ['as the target #screen', [look({ webgazer_targets: screenTarget('#screen', 1536, 864) })], '1536x864'],
    ['as the screen, where there is nothing else', [look({ screen_width: 1366, screen_height: 768 })], '1366x768'],
    [
      'as the window rather than the screen',
      [{ trial_type: 'browser-check', width: 1300, height: 700 }, look({ screen_width: 1366, screen_height: 768 })],
      '1300x700',
    ],
    ['only in a later trial', [look(), { trial_type: 'survey', innerWidth: 900, innerHeight: 500 }], '900x500'],
  ])('%s', async (_where, trials, size) => {
    const { tests } = await convertAndRead([writeFiles({ 'data.x': write(trials) })])
    expect(windowsOf(tests)).toEqual([size])
  })
})

test('an element that does not begin at the upper left of the window is not its size', async () => {
  const away = { '#screen': { left: 8, top: 8, width: 800, height: 600 } }
  const directory = writeFiles({ 'data.json': json([look({ webgazer_targets: away })]) })
  await expect(convertAndRead([directory])).rejects.toThrow('add --screen WIDTHxHEIGHT, in px, or --screens FILE')
})

test('windows differ by person, also in one file, and no one gets that of the person before', async () => {
  const people = [
    look({ innerWidth: 1000, innerHeight: 500, trial_index: 3 }),
    look({ subject_id: 'Bo', trial_index: 0 }),
    look({ subject_id: 'Bo', trial_index: 1, innerWidth: 700, innerHeight: 400 }),
  ]
  const { tests } = await convertAndRead([writeFiles({ 'data.json': json(people) })])
  expect(windowsOf(tests)).toEqual(['1000x500', '700x400', '700x400'])
})

describe('where nothing is saved', () => {
  const files = () => writeFiles({ 'data.json': json([look(), look({ subject_id: 'Bo', trial_index: 0 })]) })

  test('a table says it for each participant, and whom it does not know is asked for', async () => {
    const screens = await parseScreens('participant,width,height\nAda,1200,700\nBo,800,600\nCy,1,1\n', 'screens.csv')
    const { tests, conversion } = await convertAndRead([files()], { screens })
    expect(windowsOf(tests)).toEqual(['1200x700', '800x600'])
    expect(conversion.left.join()).toMatch(/1 screen of a participant who is not in the files: Cy/)
    screens.delete('Bo')
    await expect(convertAndRead([files()], { screens })).rejects.toThrow('the table of screens has no row for Bo')
  })

  test('one size for all is to be checked', async () => {
    const { tests, conversion } = await convertAndRead([files()], { screen: { widthPx: 1000, heightPx: 500 } })
    expect(windowsOf(tests)).toEqual(['1000x500', '1000x500'])
    expect(conversion.doubts.join()).toMatch(/one size of window for all participants.*--screens/)
  })

  test.each([
    ['name,width\nAda,5\n', 'must be CSV with the columns participant, width and height'],
    ['participant,width,height\nAda,wide,5\n', 'line 2: width and height must be px, got wide and 5'],
    ['participant;width_px;height_px\nAda;5;5\nAda;6;6\n', 'line 3: Ada appears twice'],
    ['participant,width,height\n"A\nda",5,5\nBo,0,5\n', 'line 4: width and height must be px, got 0 and 5'],
    ['participant,width,height\nA"d"a,5,5\n', 'line 2: has a quote inside a cell'],
  ])('a table is refused in a sentence: %j', async (text, sentence) => {
    await expect(parseScreens(text, 'screens.csv')).rejects.toThrow(sentence)
  })
})

describe('an item', () => {
  const window = { innerWidth: 1000, innerHeight: 500 }
  const itemOf = async (fields: Trial) => {
    const { looks, conversion } = await convertAndRead([
      writeFiles({ 'data.json': json([look({ ...window, ...fields })]) }),
    ])
    return { item: looks[0].item, doubts: conversion.doubts }
  }
  const two = (left: string, right: string) =>
    `<div><img id="l" src="${left}" style="float: left"></img><img id='r' src='${right}'></div>`
  const long = 'Read this. '.repeat(30)
  test.each<[string, Trial, string | RegExp]>([
    ['of two pictures is both of them', { stimulus: two('img/a.jpg', 'img/b.jpg') }, 'img/a.jpg + img/b.jpg'],
    ['of the same pictures the other way round is another', { stimulus: two('b.jpg', 'a.jpg') }, 'b.jpg + a.jpg'],
    ['may be an array of pictures', { stimulus: ['a.png', 'b.png'] }, 'a.png + b.png'],
    [
      'without a stimulus is the pictures of other fields',
      { stimulus: undefined, images: ['x/a.png', 'x/b.png'], choices: ['no.png'] },
      'x/a.png + x/b.png',
    ],
    ['of long words keeps apart from others that begin alike', { stimulus: long }, /^Read this\..*… \([0-9a-f]{8}\)$/],
  ])('%s', async (_what, fields, name) => {
    const { item, doubts } = await itemOf(fields)
    expect(item).toMatch(name instanceof RegExp ? name : new RegExp(`^${name.replace(/[+.]/g, '\\$&')}$`))
    expect(doubts).toEqual([])
  })

  test('that only its index names is to be checked', async () => {
    const { item, doubts } = await itemOf({ stimulus: undefined, trial_type: 'image-sort', trial_index: 30 })
    expect(item).toBe('image-sort 30')
    expect(doubts.join()).toMatch(/trial_type and trial_index, a running number/)
  })
})

describe.each([
  ['JSON', json],
  ['CSV', csv],
])('samples that cannot be read are said, in %s', (_kind, write) => {
  const read = async (data: unknown) => {
    const trial = look({ webgazer_data: data, innerWidth: 800, innerHeight: 600 })
    const { looks, conversion } = await convertAndRead([writeFiles({ 'data.x': write([trial]) })])
    return { samples: looks.flatMap(({ samples }) => samples), left: conversion.left.join('\n') }
  }
  test.each<[string, unknown[], RegExp]>([
    [
      'times that are null',
      [
        { x: 1, y: 2, t: null },
        { x: 1, y: 2, t: null },
      ],
      /^2 samples without a time t \(/m,
    ],
    ['times that are missing', [{ x: 1, y: 2 }], /^1 sample without a time t \(/m],
    ['times that are no numbers', [{ x: 1, y: 2, t: 'soon' }], /^1 sample without a time t \(/m],
    ['entries that are null', [null, null, null], /^3 entries of webgazer_data that are not samples/m],
    ['entries that are lists', [[1, 2, 3]], /^1 entry of webgazer_data that is not a sample/m],
  ])('%s', async (_what, broken, said) => {
    const { samples, left } = await read([...gaze, ...broken])
    expect(samples).toEqual([[30, 10, 20]])
    expect(left).toMatch(said)
  })
  test('NaN, as Python writes it, is lost gaze', async () => {
    const trial = JSON.stringify([look({ webgazer_data: [{ x: 1, y: 2, t: 30 }, ...gaze] })])
    const text = trial.replace('{"x":1,"y":2', '{"x":NaN,"y":-Infinity').replace('a.png', 'a: NaN.png')
    const { looks } = await convertAndRead([writeFiles({ 'a.json': text })], {
      screen: { widthPx: 800, heightPx: 600 },
    })
    expect(looks[0].samples).toEqual([
      [30, null, null],
      [30, 10, 20],
    ])
  })
  test('numbers that are texts are read', async () => {
    const { samples, left } = await read([{ x: '10.5', y: '20', t: '30' }, ...gaze])
    expect(samples).toEqual([
      [30, 10.5, 20],
      [30, 10, 20],
    ])
    expect(left).not.toMatch(/without a time/)
  })
})

describe('trials', () => {
  const long = Array.from({ length: 5 }, (_, i) => ({ x: 10 + i, y: 20, t: 30 * i }))
  const three = ['a.png', 'b.png', 'c.png'].map((stimulus, i) =>
    look({ trial_index: i, stimulus, webgazer_data: long.map(({ x, ...rest }) => ({ x: x + 7 * i, ...rest })) }),
  )
  const screen = { widthPx: 800, heightPx: 600 }
  test.each<[string, unknown]>([
    ["a server's record", { id: 'x7', data: three }],
    ['a record whose list is text', { id: 'x7', data: JSON.stringify(three) }],
    ['records by key', { '-Nx1': { data: three.slice(0, 2) }, '-Nx2': { data: three.slice(2) } }],
    ['a list of lists', [three]],
  ])('are read from %s', async (_, wrapped) => {
    const { looks } = await convertAndRead([writeFiles({ 'a.json': JSON.stringify(wrapped) })], { screen })
    expect(looks.map(({ participant, item }) => [participant, item])).toEqual([
      ['Ada', 'a.png'],
      ['Ada', 'b.png'],
      ['Ada', 'c.png'],
    ])
  })
  test('without a participant are of that of their record', async () => {
    const records = ['s1', 's2'].map((subject) => ({
      subject,
      data: three.map(({ subject_id: _, ...trial }) => trial),
    }))
    const files = { 'a.json': JSON.stringify([records[0], { ...records[1], data: records[1].data.slice(0, 1) }]) }
    const { looks } = await convertAndRead([writeFiles(files)], { screen })
    expect(looks.map(({ participant }) => participant)).toEqual(['s1', 's1', 's1', 's2'])
  })
  test('whose times run on count from their first samples', async () => {
    const late = three.map((trial, i) => ({
      ...trial,
      webgazer_data: long.map(({ t, ...at }) => ({ ...at, t: t + 4000 * i + 500 })),
    }))
    const { looks, conversion } = await convertAndRead([writeFiles({ 'a.json': JSON.stringify(late) })], { screen })
    expect(looks.map(({ samples }) => samples[0][0])).toEqual([0, 0, 0])
    expect(conversion.doubts.join('\n')).toMatch(/latencies count .*times run on from trial to trial/)
  })
})
