import { afterEach, describe, expect, test } from 'vitest'
import { asc, end, gaze, msg, recording, start } from './asc.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'

afterEach(cleanUp)

const NONE = { trial: null, end: null, item: null, onset: null }

async function read(content: string, messages: object | null = null) {
  const directory = writeFiles({ 'kim.asc': content })
  const options = { isImported: false, messages: messages && { ...NONE, ...messages } }
  const { looks, conversion, tests } = await convertAndRead([directory], options)
  return {
    items: looks.map(({ item }) => item),
    places: tests.map((row) => ['left', 'top', 'width', 'height'].map((side) => row[`item_display_${side}_px`]).join()),
    assumed: conversion.assumed.join('\n'),
    doubts: conversion.doubts.join('\n'),
    messages: conversion.messages,
  }
}

/** Trials from TRIALID to TRIAL_RESULT, each with messages in its recording and behind its result. */
const trials = (list: { inside?: string[]; behind?: string[]; before?: string[] }[]) =>
  asc(
    list.flatMap(({ inside = [], behind = [], before = [] }, k) => {
      const t = 1000 * (k + 1)
      return [
        ...before.map((text) => msg(t - 20, text)),
        msg(t - 10, `TRIALID ${k + 1}`),
        ...recording(t, 300, [...inside.map((text) => msg(t, text)), msg(t, 'SYNCTIME')]),
        msg(t + 40, 'TRIAL_RESULT 0'),
        ...behind.map((text) => msg(t + 41, text)),
      ]
    }),
  )

describe('names that come between trials', () => {
  const item = /^var image (\S+)/
  const behind = (names: (string | null)[], first: string[] = []) =>
    asc(
      first,
      names.flatMap((name, k) => [
        ...recording(1000 * (k + 1), 300),
        ...(name === null ? [] : [msg(1000 * (k + 1) + 50, `var image ${name}`)]),
      ]),
    )
  test('are of the trial before, where none comes before the first and one after the last', async () => {
    const { items, assumed, doubts } = await read(behind(['a.png', 'b.png', 'c.png']), { item })
    expect(items).toEqual(['a.png', 'b.png', 'c.png'])
    expect(assumed).toMatch(/item names that follow a trial were assigned to it/)
    expect(doubts).not.toMatch(/between/)
  })
  test('are of the trial after, where one comes before the first and none after the last', async () => {
    const content = behind(['b.png', 'c.png', null], [msg(900, 'var image a.png')])
    expect(await read(content, { item })).toMatchObject({ items: ['a.png', 'b.png', 'c.png'] })
  })
  test('may be of both, where the last trial has none after it, and that is to be checked', async () => {
    const { items, doubts } = await read(behind(['a.png', 'b.png', null]), { item })
    expect(items).toEqual(['a.png', 'b.png', 'recording 3'])
    expect(doubts).toMatch(/between the trials of .*kim\.asc, such as a\.png, and may be of the trial before or after/)
  })
  test('may be of both, where one comes before the first and one after the last', async () => {
    const content = behind(['b.png', 'c.png'], [msg(900, 'var image a.png')])
    const { items, doubts } = await read(content, { item })
    expect(items).toEqual(['a.png', 'b.png'])
    expect(doubts).toMatch(/may be of the trial before or after them: they are taken to come before their trials/)
  })
  test('are of the trial in whose recording they lie, whichever has none', async () => {
    const trial = (t: number, name: string) => [
      ...start(t),
      msg(t, 'start_trial'),
      ...gaze(t, 3, 300),
      msg(t + 30, 'stop_trial'),
      msg(t + 31, `var image ${name}`),
      ...gaze(t + 40, 1, 960),
      end(t + 50),
    ]
    const content = asc(trial(1000, 'a.png'), trial(2000, 'b.png'), trial(3000, 'c.png'))
    const messages = { item, trial: /^start_trial/, end: /^stop_trial/ }
    const { items, doubts } = await read(content, messages)
    expect(items).toEqual(['a.png', 'b.png', 'c.png'])
    expect(doubts).not.toMatch(/between/)
  })
  test('are of the trial that begins after them in their recording', async () => {
    const trial = (t: number, name: string) => [
      ...start(t),
      msg(t, `var image ${name}`),
      ...gaze(t, 1, 960),
      msg(t + 10, 'start_trial'),
      ...gaze(t + 10, 3, 300),
      end(t + 40),
    ]
    const content = asc(trial(1000, 'a.png'), trial(2000, 'b.png'))
    expect((await read(content, { item, trial: /^start_trial/ })).items).toEqual(['a.png', 'b.png'])
  })
  test('of variables behind TRIAL_RESULT are of the trial before, without a pattern, too', async () => {
    const list = ['a.png', 'b.png', 'c.png'].map((name) => ({ behind: [`!V TRIAL_VAR image ${name}`] }))
    expect((await read(trials(list))).items).toEqual(['a.png', 'b.png', 'c.png'])
  })
  test('of variables before TRIALID are of the trial after', async () => {
    const list = ['a.png', 'b.png', 'c.png'].map((name) => ({ before: [`!V TRIAL_VAR image ${name}`] }))
    expect((await read(trials(list))).items).toEqual(['a.png', 'b.png', 'c.png'])
  })
  test('now and then, as of a break, name nothing without a pattern', async () => {
    const list = [1, 2, 3, 4].map((k) => ({ behind: k === 2 ? ['!V IMGLOAD FILL pause.png'] : [] }))
    expect((await read(trials(list))).items).toEqual(['trial 1', 'trial 2', 'trial 3', 'trial 4'])
  })
  test('count for nothing beside a name within the trial', async () => {
    const list = ['a', 'b', 'c'].map((name) => ({ inside: [`pic ${name}`], behind: [`pic ${name}x`] }))
    expect((await read(trials(list), { item: /^pic (\w+)/ })).items).toEqual(['a', 'b', 'c'])
  })
})

describe('several pictures of one trial', () => {
  const load = (...names: string[]) => names.map((name, i) => `!V IMGLOAD TOP_LEFT img/${name} ${100 * i} 100 400 400`)
  test('are one display, named by those that not all trials have', async () => {
    const list = [
      { inside: load('grid.png', 'dog.png', 'cup.png') },
      { inside: load('grid.png', 'tree.png', 'bed.png') },
    ]
    const { items, places, assumed } = await read(trials(list))
    expect(items).toEqual(['dog.png + cup.png', 'tree.png + bed.png'])
    expect(places).toEqual([',,,', ',,,'])
    expect(assumed).toMatch(/several pictures of the same trial are one display, .* such as dog\.png \+ cup\.png/)
  })
  test('in another order are another display', async () => {
    const list = [{ inside: load('dog.png', 'cup.png') }, { inside: load('cup.png', 'dog.png') }]
    expect((await read(trials(list))).items).toEqual(['dog.png + cup.png', 'cup.png + dog.png'])
  })
  test('of which all trials share the fixation cross are called by the other one, and lie where it lay', async () => {
    const list = ['a.png', 'b.png'].map((name) => ({
      inside: ['!V IMGLOAD CENTER fix.png 960 540 40 40', `!V IMGLOAD TOP_LEFT ${name} 560 240 800 600`],
    }))
    expect(await read(trials(list))).toMatchObject({
      items: ['a.png', 'b.png'],
      places: ['560,240,800,600', '560,240,800,600'],
    })
  })
  test('loaded again are no other', async () => {
    const list = [{ inside: load('a.png', 'a.png') }, { inside: load('b.png') }]
    expect((await read(trials(list))).items).toEqual(['a.png', 'b.png'])
  })
  test('shown one after the other are to be checked', async () => {
    const slides = asc(
      start(1000),
      ['a.png', 'b.png', 'c.png'].flatMap((name, k) => [
        msg(1000 + 500 * k, `!V IMGLOAD FILL ${name}`),
        ...gaze(1000 + 500 * k, 3, 300),
      ]),
      end(2100),
    )
    const { items, doubts } = await read(slides)
    expect(items).toEqual(['a.png + b.png + c.png'])
    expect(doubts).toMatch(/one after the other, such as a\.png \+ b\.png \+ c\.png: .*--trial-message/)
  })
  test('that a pattern names are named by all, too', async () => {
    const list = [{ inside: ['pic cat', 'pic dog'] }, { inside: ['pic cow', 'pic dog'] }]
    expect((await read(trials(list), { item: /^pic (\w+)/ })).items).toEqual(['cat', 'cow'])
    const two = [{ inside: ['pic cat', 'pic dog'] }, { inside: ['pic cow', 'pic pig'] }]
    expect((await read(trials(two), { item: /^pic (\w+)/ })).items).toEqual(['cat + dog', 'cow + pig'])
  })
})

describe('the variable that names items', () => {
  const named = (...rows: Record<string, string>[]) =>
    trials(rows.map((row) => ({ inside: Object.entries(row).map(([name, value]) => `!V TRIAL_VAR ${name} ${value}`) })))
  test.each<[string, Record<string, string>[], string[]]>([
    [
      'holds files',
      [
        { image_duration: '3000', stim_type: 'face', stim_file: 'f01.png' },
        { image_duration: '3000', stim_type: 'house', stim_file: 'f02.png' },
      ],
      ['f01.png', 'f02.png'],
    ],
    [
      'holds files, whatever it is called',
      [
        { image_set: 'A', target: 'x/f01.jpg' },
        { image_set: 'B', target: 'x/f02.jpg' },
      ],
      ['f01.jpg', 'f02.jpg'],
    ],
    [
      'holds pictures before sounds',
      [
        { sound: 's1.wav', shown: 'f01.jpg' },
        { sound: 's2.wav', shown: 'f02.jpg' },
      ],
      ['f01.jpg', 'f02.jpg'],
    ],
    [
      'holds sounds or texts, where there are no pictures',
      [
        { audio_file: 's1.wav', log: 'kim.csv' },
        { audio_file: 's2.wav', log: 'kim.csv' },
      ],
      ['s1.wav', 's2.wav'],
    ],
    [
      'is not the same in all trials',
      [
        { image: 'mask.png', filename: 'f01.png' },
        { image: 'mask.png', filename: 'f02.png' },
      ],
      ['f01.png', 'f02.png'],
    ],
    [
      'is called so, where nothing looks like a file',
      [
        { picture_size: '300', Picture: 'dog' },
        { picture_size: '400', Picture: 'cat' },
      ],
      ['dog', 'cat'],
    ],
    [
      'may be the same in all trials, where no other differs',
      [{ image: 'a.png' }, { image: 'a.png' }],
      ['a.png', 'a.png'],
    ],
    [
      'is none, where they say how long, which kind and how large',
      [
        { image_duration: '3000', stim_type: 'face', picture_width: '400' },
        { image_duration: '2000', stim_type: 'house', picture_width: '500' },
      ],
      ['trial 1', 'trial 2'],
    ],
    [
      'has parts, which are joined',
      [
        { image_left: 'a.png', image_right: 'b.png' },
        { image_left: 'b.png', image_right: 'a.png' },
      ],
      ['a.png + b.png', 'b.png + a.png'],
    ],
    [
      'is counted, and then joined, too',
      [
        { stim1: 'a.png', stim2: 'b.png', stim3: 'c.png' },
        { stim1: 'a.png', stim2: 'd.png', stim3: 'c.png' },
      ],
      ['b.png', 'd.png'],
    ],
  ])('%s', async (_, rows, items) => {
    expect((await read(named(...rows))).items).toEqual(items)
  })
  test('is said, and to be checked where another could do so', async () => {
    const one = await read(named({ stim_file: 'a.png' }, { stim_file: 'b.png' }))
    expect(one.assumed).toMatch(/items are named by the variable stim_file of their trial/)
    expect(one.doubts).toBe('')
    const two = await read(named({ stim_file: 'a.png', image: 'x.png' }, { stim_file: 'b.png', image: 'y.png' }))
    expect(two.doubts).toMatch(
      /variable stim_file, and could be by image: --item-message '\^!V TRIAL_VAR image \(\.\+\)'/,
    )
  })
  test('goes before a picture that all trials load, and behind pictures that differ', async () => {
    const rows = (load: (k: number) => string) =>
      trials([1, 2].map((k) => ({ inside: [`!V IMGLOAD FILL ${load(k)}`, `!V TRIAL_VAR image i${k}.png`] })))
    expect((await read(rows(() => 'back.png'))).items).toEqual(['i1.png', 'i2.png'])
    expect((await read(rows((k) => `p${k}.png`))).items).toEqual(['p1.png', 'p2.png'])
  })
})

describe('messages that were seen', () => {
  const seen = async (...texts: string[]) => {
    const { doubts } = await read(trials([{ inside: texts }, { inside: texts }, { inside: texts }]))
    return /messages that were seen: (.*)/.exec(doubts)?.[1]
  }
  test('are told apart by the variable that they give', async () => {
    const said = await seen('var image a.png', 'var response space')
    expect(said).toMatch(/"var image a\.png" \(3 ×\), "var response space" \(3 ×\)/)
  })
  test('are so whatever word is before the names', async () => {
    expect(await seen('log block 1', 'log rt 512')).toMatch(/"log block 1" \(3 ×\), "log rt 512" \(3 ×\)/)
  })
  test('are one, where the second word is a value', async () => {
    expect(await seen('picture a shown')).toMatch(/"picture a shown" \(3 ×\)/)
    const list = ['dog', 'cat', 'cow'].map((name) => ({ inside: [`picture ${name} shown`] }))
    const { doubts, messages } = await read(trials(list))
    expect(doubts).toMatch(/"picture dog shown" \(3 ×\)/)
    expect(messages).toContainEqual({ count: 3, example: 'picture dog shown', begins: 'picture ' })
  })
})

describe('the place of a picture', () => {
  const placed = async (load: string, coords = '0 0 1919 1079') => {
    const content = trials([{ inside: [load] }]).replace('0 0 1919 1079', coords)
    const { items, places, doubts } = await read(content)
    return { item: items[0], place: places[0], doubts }
  }
  test.each([
    ['!V IMGLOAD FILL images/a.jpg', 'a.jpg', '0,0,1920,1080'],
    ['!V IMGLOAD TOP_LEFT ../c.jpg 560 240 800 600', 'c.jpg', '560,240,800,600'],
    ['!V IMGLOAD CENTER c.jpg 960 540 800 600', 'c.jpg', '560,240,800,600'],
    ['!V IMGLOAD CENTER c.jpg 960.0 540.0 800.0 600.0', 'c.jpg', '560,240,800,600'],
    ['-12 !V IMGLOAD TOP_LEFT my pictures\\the c.jpg -10 0 800 600', 'the c.jpg', '-10,0,800,600'],
    ['!V IMGLOAD TOP_LEFT 560 240 800 600 c.jpg', 'c.jpg', '560,240,800,600'],
    ['!V IMGLOAD FILL set 1 2/face 3', 'face 3', '0,0,1920,1080'],
    ['!v imgload top_left c 560 240 800 600', 'c', '560,240,800,600'],
  ])('%s', async (load, item, place) => {
    expect(await placed(load)).toMatchObject({ item, place })
  })
  test('counts from the first pixel of the display', async () => {
    const { place } = await placed('!V IMGLOAD TOP_LEFT c.jpg 560 240 800 600', '100 50 2019 1129')
    expect(place).toBe('460,190,800,600')
  })
})

describe('a video', () => {
  const frames = (name: string) => [0, 40, 80].map((ms, i) => `${-ms} !V VFRAME ${i + 1} 560 240 ${name}`)
  test('is named, and placed, by its frames', async () => {
    const { items, doubts } = await read(trials([{ inside: frames('clips/a.mp4') }, { inside: frames('clips/b.mp4') }]))
    expect(items).toEqual(['a.mp4', 'b.mp4'])
    expect(doubts).toMatch(/the files say where pictures lay, and not how large they were, as of a.mp4 at 560, 240/)
  })
  test("'s frames are one kind of message", async () => {
    const { messages } = await read(trials([{ inside: frames('a.mp4') }, { inside: frames('b.mp4') }]))
    expect(messages?.filter(({ example }) => /VFRAME/.test(example)).map(({ count }) => count)).toEqual([6])
  })
})
