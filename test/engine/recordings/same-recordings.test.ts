import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Study } from '../../../engine/model/study.ts'
import { groupsByHash } from '../../../engine/recordings/bundle/same-recordings.ts'
import { convertFiles } from '../../../engine/recordings/convert/convert-recordings.ts'
import { parseMapping } from '../../../engine/recordings/reader/mapping.ts'
import { cleanUp, convertAndRead, scratch, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const mapping = mappingOf({
  participant: null,
  item: 'item',
  time: { column: 'time', unit: 'ms', origin: 'first' },
  screen: { widthPx: 2000, heightPx: 1000 },
})

type Look = { item: string; seed: number; n?: number; fromMs?: number; who?: string }

/** Gaze that wanders, the same for the same seed. */
const rowsOf = ({ item, seed, n = 60, fromMs = 0, who }: Look) => {
  let state = seed
  const noise = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state % 997) / 10
  }
  return Array.from({ length: n }, (_, i) =>
    [
      ...(who === undefined ? [] : [who]),
      item,
      fromMs + 10 * i,
      (700 + noise()).toFixed(1),
      (400 + noise()).toFixed(1),
    ].join(','),
  )
}
const tableOf = (looks: Look[], header = 'item,time,x,y') => `${[header, ...looks.flatMap(rowsOf)].join('\n')}\n`

const ANN = [
  { item: 'a.png', seed: 1 },
  { item: 'b.png', seed: 2 },
  { item: 'c.png', seed: 3 },
]
const read = (files: Record<string, string>, given: object = mapping) =>
  convertAndRead([writeFiles(files)], { mapping: given })
const peopleAndItems = ({ looks }: Awaited<ReturnType<typeof read>>) =>
  looks.map(({ participant, item, samples }) => [participant, item, samples.length])

describe('a recording counts once', () => {
  const ann = [
    ['ann', 'a.png', 60],
    ['ann', 'b.png', 60],
    ['ann', 'c.png', 60],
  ]
  test.each<[string, Record<string, string>]>([
    ['in a folder of backups, with the same bytes', { 'backup/ann.csv': tableOf(ANN), 'ann.csv': tableOf(ANN) }],
    [
      'with other bytes, such as further digits',
      { 'ann.csv': tableOf(ANN), 'zoe.csv': tableOf(ANN).replace(/(\d)\n/g, '$1000\n') },
    ],
    [
      'saved after the second item, and again at the end',
      { 'ann.csv': tableOf(ANN), 'partly.csv': tableOf(ANN.slice(0, 2)) },
    ],
    [
      'saved within an item, and again at the end',
      { 'ann.csv': tableOf(ANN), 'partly.csv': tableOf([ANN[0], { ...ANN[1], n: 30 }]) },
    ],
    [
      'saved within an item in a file that comes first, and again at the end',
      { 'aa.csv': tableOf([ANN[0], { ...ANN[1], n: 30 }]), 'ann.csv': tableOf(ANN) },
    ],
    [
      'saved within the last of its items in a file that comes first, and again at the end',
      { 'aa.csv': tableOf([ANN[0], ANN[1], { ...ANN[2], n: 30 }]), 'ann.csv': tableOf(ANN) },
    ],
    [
      'converted again to whole px',
      {
        'ann.csv': tableOf(ANN),
        'ann_px.csv': tableOf(ANN).replace(/\d+\.\d/g, (px) => String(Math.round(Number(px)))),
      },
    ],
    [
      'converted again with other separators, under a longer name that comes first',
      { 'ann.csv': tableOf(ANN), 'an n-again.csv': tableOf(ANN).replaceAll(',', ';') },
    ],
    [
      'on another clock',
      { 'ann.csv': tableOf(ANN), 'later.csv': tableOf(ANN.map((one) => ({ ...one, fromMs: 5000 }))) },
    ],
  ])('%s', async (_, files) => {
    const converted = await read(files)
    expect(peopleAndItems(converted)).toEqual(ann)
    expect(converted.conversion.counts).toMatchObject({ participants: 1, items: 3, tests: 3, samples: 180 })
    expect([...converted.samples.values()].map((rows) => rows.length)).toEqual([60, 60, 60])
    expect(converted.conversion.doubts.join('\n')).toMatch(
      /the same recordings are in several files, and count once: \S+/,
    )
  })

  test('and gives the study the same id as without its copy', async () => {
    const alone = await read({ 'ann.csv': tableOf(ANN) })
    const twice = await read({ 'ann.csv': tableOf(ANN), 'old/ann.csv': tableOf(ANN) })
    expect(twice.study.id).toBe(alone.study.id)
  })

  test('in an export of all, and in one of a person', async () => {
    const named = { ...mapping, participant: 'who' }
    const [ann2, bob] = ['ann', 'bob'].map((who, i) => ANN.map((one) => ({ ...one, who, seed: one.seed + 10 * i })))
    const header = 'who,item,time,x,y'
    const converted = await read(
      { 'all.csv': tableOf([...ann2, ...bob], header), 'bob.csv': tableOf(bob, header) },
      named,
    )
    expect(peopleAndItems(converted).map(([who, item]) => `${who} ${item}`)).toEqual(
      ['ann', 'bob'].flatMap((who) => ['a.png', 'b.png', 'c.png'].map((item) => `${who} ${item}`)),
    )
    expect(converted.tests.map(({ display_order: order }) => order)).toEqual(['1', '2', '3', '1', '2', '3'])
    expect(converted.conversion.doubts.join()).toContain('all tests of')
  })

  test('where its rows stand in a file twice', async () => {
    const converted = await read({ 'ann.csv': tableOf([...ANN, ...ANN]) })
    expect(peopleAndItems(converted)).toEqual(ann)
    expect(converted.conversion.doubts.join()).toMatch(/rows of \S+ann.csv stand in it twice/)
  })
})

describe('small files with the same bytes', () => {
  const tiny = 'time,x,y\n0,1,1\n10,2,2\n20,3,3\n'

  test.each(['backup/kim.csv', 'kim (1).csv', 'deeper/kim.csv'])(
    'are one recording where named alike: %s',
    async (name) => {
      const { conversion } = await read({ 'kim.csv': tiny, [name]: tiny }, { ...mapping, item: null })
      expect(conversion.counts).toMatchObject({ participants: 1, samples: 3 })
      expect(conversion.doubts.join()).toMatch(/count once: \S+.* is a copy of \S+kim.csv/)
    },
  )

  test('count each otherwise, which is said', async () => {
    const { conversion } = await read({ 'a/1.csv': tiny, 'b/1.csv': tiny }, { ...mapping, item: null })
    expect(conversion.counts).toMatchObject({ samples: 6 })
    expect(conversion.doubts.join()).toMatch(/have the same bytes, and each counts: \S+b\/1.csv and \S+a\/1.csv/)
  })
})

test('two versions of a recording are refused, with the names of both files', async () => {
  const lines = tableOf(ANN).split('\n')
  const changed = lines.map((line, i) => (i % 30 === 20 ? line.replace(/[^,]*$/, '10') : line)).join('\n')
  await expect(read({ 'ann.csv': lines.join('\n'), 'ann-2.csv': changed })).rejects.toThrow(
    /ann\S*.csv holds the same recording of \S+ at \w.png as \S+ann\S*.csv, with different samples/,
  )
})

test('two versions of a recording are refused also if one is a little longer', async () => {
  const lines = tableOf(ANN.map((look) => ({ ...look, n: 57 }))).split('\n')
  const changed = lines.map((line, i) => (i % 20 === 10 ? line.replace(/[^,]*$/, '10') : line)).join('\n')
  await expect(read({ 'ann.csv': tableOf(ANN), 'ann-2.csv': changed })).rejects.toThrow(/with different samples/)
})

describe('a recording that is added to a study which has it under another name', () => {
  const id = '11111111-1111-4111-8111-111111111111'
  const [first, second] = ANN
  /** Adds files to a study that has the first two items of ann. */
  const add = async (files: Record<string, string>) => {
    const there = await read({ 'ann.csv': tableOf([first, second]) })
    const stored = there.looks.map(({ samples }) => samples)
    const continued = {
      ...{ study: there.study as unknown as Study, participants: [{ id, name: 'ann' }], items: [], looks: new Map() },
      ...{ lastOrder: new Map(), hashes: new Set<string>(), recordings: null },
      tests: there.looks.map(({ item }) => ({ participantId: id, item, samples: 60, seen: 60, lastMs: 590 })),
      gazeOf: async (test: number) => ({
        n: stored[test].length,
        tUs: Float64Array.from(stored[test], ([tMs]) => tMs! * 1000),
        gazeXPx: Float64Array.from(stored[test], ([, x]) => x!),
        gazeYPx: Float64Array.from(stored[test], ([, , y]) => y!),
      }),
    }
    const directory = join(scratch(), 'bundle')
    const options = { mapping: parseMapping(JSON.stringify(mapping), 'mapping.json') }
    return convertFiles({ paths: [writeFiles(files)], directory, memoryMib: 128, continued, options })
  }

  test('is not added, if it has nothing else', async () => {
    await expect(add({ 'other.csv': tableOf([first, second]).replaceAll(',', ';') })).rejects.toThrow(
      /^the study already has other \(\S*other.csv\) as ann at a.png, b.png$/,
    )
  })

  test('counts once, and what it has besides is added', async () => {
    const { doubts, counts } = await add({ 'other.csv': tableOf(ANN) })
    expect(counts).toMatchObject({ participants: 1, tests: 1, samples: 60 })
    expect(doubts.join('\n')).toMatch(
      /the study has recordings already, which count once: other \(\S*other.csv\) as ann at a.png, b.png/,
    )
  })

  test('is refused with other samples', async () => {
    const lines = tableOf([first, second]).split('\n')
    const changed = lines.map((line, i) => (i % 30 === 20 ? line.replace(/[^,]*$/, '10') : line)).join('\n')
    await expect(add({ 'other.csv': changed })).rejects.toThrow(
      /other.csv.* holds the same recording of ann at a.png as the study, with different samples/,
    )
  })

  test('is another one with other positions, however alike its lengths are', async () => {
    const { doubts, counts } = await add({
      'bob.csv': tableOf([
        { ...first, seed: 7 },
        { ...second, seed: 8 },
      ]),
    })
    expect(counts.tests).toBe(2)
    expect(doubts.join('\n')).not.toContain('the study has recordings')
  })
})

test('two people with the same samples in a file are both kept, and reported', async () => {
  const named = { ...mapping, participant: 'who' }
  const both = ['ann', 'bob'].flatMap((who) => ANN.map((one) => ({ ...one, who })))
  const { conversion, looks } = await read({ 'all.csv': tableOf(both, 'who,item,time,x,y') }, named)
  expect(looks.length).toBe(6)
  const [said, ...more] = conversion.doubts.filter((doubt) => doubt.startsWith('the same samples'))
  expect(said).toMatch(
    /are in \S+all.csv for ann at a.png and for bob at a.png; for ann at b.png and for bob at b.png; /,
  )
  expect(more).toEqual([])
})

test('people who look at the same place all the time stay apart', async () => {
  const still = (x: number) =>
    `item,time,x,y\n${Array.from({ length: 60 }, (_, i) => `a.png,${10 * i},${x},5`).join('\n')}\n`
  const { looks, conversion } = await read({ 'ann.csv': still(3), 'bob.csv': `${still(3)}\n` })
  expect(looks.map(({ participant }) => participant)).toEqual(['ann', 'bob'])
  expect(conversion.doubts.join()).not.toContain('the same')
})

describe('two conversions of an EDF file', () => {
  const asc = (y: number, name = 'kim') =>
    [
      `** CONVERTED FROM ${name}.edf using edfapi 4.2 on Mon Jan 08 10:00:00 2024`,
      '** DATE: Mon Jan  8 09:00:00 2024',
      'MSG 1 DISPLAY_COORDS 0 0 1919 1079',
      'START 2000 LEFT SAMPLES EVENTS',
      'SAMPLES GAZE LEFT RATE 500.00',
      ...Array.from({ length: 60 }, (_, i) => `${2000 + 2 * i}\t 600.0\t ${y}.0\t 1000.0\t...`),
      'END 2120 SAMPLES EVENTS RES 1 1',
      '',
    ].join('\n')
  test('are one recording if their samples are the same', async () => {
    const { conversion } = await convertAndRead([
      writeFiles({ 'kim.asc': asc(500), 'kim-again.asc': asc(500).replaceAll('\t...', '\t....') }),
    ])
    expect(conversion.counts).toMatchObject({ participants: 1, tests: 1, samples: 60 })
  })
  test('are refused otherwise', async () => {
    const files = { 'kim.asc': asc(500), 'kim-right.asc': asc(510) }
    await expect(convertAndRead([writeFiles(files)])).rejects.toThrow(
      /kim\S*.asc holds the same recording \(kim of Mon Jan 8 09:00:00 2024, from 2000 ms\) as \S+kim\S*.asc/,
    )
  })
  test('of different EDF files are of different people', async () => {
    const { conversion } = await convertAndRead([writeFiles({ 'kim.asc': asc(500), 'lee.asc': asc(500, 'lee') })])
    expect(conversion.counts).toMatchObject({ participants: 2, tests: 2 })
  })
})

test('tests with a hash in common are a group, and hashes of one test alone are in none', () => {
  const sketches = [[5, 9], [7, 9, 20], [20], [20, 30]].map((hashes) => Uint32Array.from(hashes))
  expect([...groupsByHash(sketches)]).toEqual([
    [0, 1],
    [1, 2, 3],
  ])
})
