import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

/** An ASC file; each trial is a list of messages, by ms of its own clock, and has a sample at 0, 10 and 20 ms. */
const asc = (trials: [number, string][][], coords = '0 0 1919 1079') =>
  [
    '** CONVERTED FROM D:\\data\\kim.edf using edfapi 4.2.1',
    `MSG\t1 GAZE_COORDS ${coords}`,
    ...trials.flatMap((messages, k) => {
      const t = 1000 * (k + 1)
      const said = (isBefore: boolean) =>
        messages.filter(([ms]) => ms < 0 === isBefore).map(([ms, text]) => `MSG\t${t + ms} ${text}`)
      return [
        ...said(true),
        `START\t${t} \tLEFT\tSAMPLES\tEVENTS`,
        'SAMPLES\tGAZE\tLEFT\tRATE\t 100.00\tTRACKING\tCR\tFILTER\t2',
        ...said(false),
        ...[0, 10, 20].map((ms) => `${t + ms}\t  ${100 + k}.0\t  200.0\t 900.0\t...`),
        `END\t${t + 30} \tSAMPLES\tEVENTS\tRES\t  30.00\t  30.00`,
      ]
    }),
    '',
  ].join('\n')

const read = (content: string, options = {}) => convertAndRead([writeFiles({ 'kim.asc': content })], options)
const numbered = (pictures: string[]): [number, string][][] =>
  pictures.map((picture, k) => [
    [-5, `TRIALID ${k + 1}`],
    [-3, `picture ${picture} shown in block 2`],
    [5, 'fixation cross off'],
  ])

test('samples, blinks and messages with decimal commas are read as those with points', async () => {
  const points = [
    '** CONVERTED FROM kim.edf using edfapi 4.2.1',
    'MSG\t1 DISPLAY_COORDS 0 0 1919 1079',
    'START\t1000 \tLEFT\tSAMPLES\tEVENTS',
    'SAMPLES\tGAZE\tLEFT\tRATE\t 1000.00\tTRACKING\tCR\tFILTER\t2',
    'MSG\t1001.5 SYNCTIME',
    '1000.5\t  .\t  .\t  0.0\t...',
    '1001.5\t  512.5\t  384.25\t  900.0\t...',
    'SBLINK L 1002.5',
    '1002.5\t  513.0\t  385.0\t  900.0\t...',
    'EBLINK L 1002.5\t1002.5\t1',
    '1003.5\t  514.0\t  386.0\t  900.0\t...',
    'END\t1004 \tSAMPLES\tEVENTS\tRES\t  30.00\t  30.00',
    '',
  ].join('\n')
  const samples = async (content: string) => {
    const { looks, conversion } = await read(content)
    expect(conversion.left.join('\n')).toMatch(/^1 gaze points? within a blink/m)
    expect(conversion.counts).toMatchObject({ samples: 4, lostSamples: 2 })
    return looks.map((look) => look.samples)
  }
  const commas = points.replace(/^(?!\*\*).*$/gm, (line) => line.replace(/(\d)\.(\d)/g, '$1,$2'))
  expect(commas).toContain('MSG\t1001,5 SYNCTIME\n1000,5\t  .\t')
  const found = await samples(commas)
  expect(found[0].map(([t, x, y]) => [t, x, y])).toEqual([
    [-1, null, null],
    [0, 512.5, 384.25],
    [1, null, null],
    [2, 514, 386],
  ])
  expect(found).toEqual(await samples(points))
})

describe("items that only a trial's number names", () => {
  test('are to be checked, with the messages that may name them', async () => {
    const { looks, conversion } = await read(asc(numbered(['dog', 'cat'])))
    expect(looks.map(({ item }) => item)).toEqual(['trial 1', 'trial 2'])
    expect(conversion.doubts.join('\n')).toMatch(/a running number: .*--item-message/)
    expect(conversion.doubts.join('\n')).toMatch(
      /messages that were seen: "TRIALID 1" \(2 ×\), "picture dog shown in block 2" \(2 ×\), "fixation cross off" \(2 ×\)/,
    )
  })

  test('are named by patterns, which also say when they appeared', async () => {
    const messages = { trial: null, item: /^picture (\w+)/, onset: /cross off/ }
    const { looks, conversion } = await read(asc(numbered(['dog', 'cat'])), { messages })
    expect(looks.map(({ item, samples }) => [item, samples.map(([t]) => t)])).toEqual([
      ['dog', [-5, 5, 15]],
      ['cat', [-5, 5, 15]],
    ])
    expect(conversion.doubts).toEqual([])
  })

  test('where no recording has a trial, too, by a message before it starts', async () => {
    const trials: [number, string][][] = [[[-5, 'img a.png']], [[-5, 'img b.png']]]
    expect((await read(asc(trials))).conversion.doubts.join()).toMatch(/number of their trial or recording/)
    const { looks } = await read(asc(trials), { messages: { trial: null, item: /^img (\S+)/, onset: null } })
    expect(looks.map(({ item }) => item)).toEqual(['a.png', 'b.png'])
  })

  test('a pattern begins a trial wherever it matches, and names it', async () => {
    const one = asc([[[0, 'begin face']]])
    const second = ['MSG\t1015 begin house', '1020\t  7.0\t  8.0\t 900.0\t...']
    const content = one.replace('1020\t  100.0\t  200.0\t 900.0\t...', second.join('\n'))
    const { looks } = await read(content, { messages: { trial: /^begin (.*)/, item: null, onset: null } })
    expect(looks.map(({ item, samples }) => [item, samples.length])).toEqual([
      ['face', 2],
      ['house', 1],
    ])
  })
})

test.each([
  ['0 0 1024 768', '1024', '768'],
  ['0.00 0.00 1023.00 767.00', '1024', '768'],
  ['0 0 1366 768', '1366', '768'],
  ['0 0 1919 1079', '1920', '1080'],
])('GAZE_COORDS %s are a display of %s × %s px', async (coords, width, height) => {
  const { tests } = await read(asc([[]], coords))
  expect([tests[0].browser_width_px, tests[0].browser_height_px]).toEqual([width, height])
})

test('patterns of messages are refused for files that have none', async () => {
  const directory = writeFiles({ 'a.json': '[{"webgazer_data":[{"x":1,"y":2,"t":3}]}]' })
  const messages = { trial: null, end: null, item: /x/, onset: null }
  await expect(convertAndRead([directory], { messages })).rejects.toThrow(
    'patterns of messages are for EyeLink ASC files',
  )
})

test('several ASC files in one are refused, since their clocks and people differ', async () => {
  const one = asc(numbered(['dog']))
  const other = one.replace('kim.edf', 'lee.edf')
  await expect(read(`${one}\n${other}`)).rejects.toThrow(
    /kim.asc holds several ASC files, one after the other, the second of .*lee.edf: give each as a file of its own$/,
  )
})

test('each test has the display stated last before its first sample, and displays that differ are to be checked', async () => {
  const trial = (t: number, coords: string, x: number) => [
    `MSG\t${t - 9} DISPLAY_COORDS ${coords}`,
    `START\t${t} \tLEFT\tSAMPLES\tEVENTS`,
    'SAMPLES\tGAZE\tLEFT\tRATE\t 100.00\tTRACKING\tCR\tFILTER\t2',
    `${t}\t  ${x}.0\t  200.0\t 900.0\t...`,
    `END\t${t + 10} \tSAMPLES\tEVENTS\tRES\t  30.00\t  30.00`,
  ]
  const lines = [...trial(1000, '0 0 1919 1079', 600), ...trial(2000, '100 0 1379 1023', 700)]
  const { tests, looks, conversion } = await read(['** CONVERTED FROM kim.edf using edfapi', ...lines, ''].join('\n'))
  expect(tests.map((one) => [one.browser_width_px, one.browser_height_px])).toEqual([
    ['1920', '1080'],
    ['1280', '1024'],
  ])
  expect(looks.map(({ samples }) => samples[0][1])).toEqual([600, 600])
  expect(conversion.doubts.join('\n')).toMatch(
    /kim.asc states displays of several sizes, 1920 × 1080 px and 1280 × 1024 px: each test has the one stated last/,
  )
})

describe('coordinates of a display', () => {
  test('whose y grows upwards are refused, since gaze would be upside down', async () => {
    await expect(read(asc(numbered(['dog']), '0 1079 1919 0'))).rejects.toThrow(
      /kim.asc gives 0 1079 as the upper left corner of the display, and a lower right corner that does not lie beyond it/,
    )
  })
  test('that are zeros are none, so that the size of the screen is asked for', async () => {
    await expect(read(asc(numbered(['dog']), '0 0 0 0'))).rejects.toThrow(/does not say how large the screen was/)
  })
  test('of the tracker that differ from those of the experiment are to be checked', async () => {
    const both = asc(numbered(['dog'])).replace('START', 'MSG\t999 GAZE_COORDS 0 0 1023 767\nSTART')
    expect((await read(both)).conversion.doubts.join('\n')).toMatch(
      /states displays of several sizes, 1920 × 1080 px and 1024 × 768 px/,
    )
    expect((await read(asc(numbered(['dog'])))).conversion.doubts.join('\n')).not.toMatch(/several sizes/)
  })
})

test('a pattern for items that matches no message is to be checked', async () => {
  const messages = (item: RegExp) => ({ messages: { trial: null, end: null, item, onset: null } })
  const doubts = async (item: RegExp) =>
    (await read(asc(numbered(['dog', 'cat'])), messages(item))).conversion.doubts.join('\n')
  expect(await doubts(/^stim (\S+)/)).toMatch(
    /^--item-message \^stim \(\\S\+\) matches no message, so that it names no/m,
  )
  expect(await doubts(/^picture (\S+)/)).not.toMatch(/matches no message/)
})

test('a test whose samples all lie before its onset is to be checked', async () => {
  const late = asc([
    [
      [-5, 'TRIALID 1'],
      [500, 'SYNCTIME'],
    ],
  ]).replace(/(MSG.*SYNCTIME)\n((?:\d.*\n)+)/, '$2$1\n')
  expect((await read(late)).conversion.doubts.join('\n')).toMatch(
    /^all samples of one test lie before the onset, first those of kim at trial 1: exports leave them out/m,
  )
})
