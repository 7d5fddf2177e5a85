import { afterEach, describe, expect, test } from 'vitest'
import { namesInPath, parsePathPattern } from '../../../engine/recordings/reader/path-names.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const mapping = mappingOf({
  item: 'item',
  time: { column: 'time', unit: 'ms', origin: 'first' },
  screen: { widthPx: 2000, heightPx: 1000 },
})
const rows = (who: string, item: string, fromMs: number) =>
  Array.from({ length: 5 }, (_, i) => `${who},${item},${fromMs + 10 * i},${fromMs % 977},${i}\n`).join('')
const table = (...runs: [who: string, item: string][]) =>
  `who,item,time,x,y\n${runs.map(([who, item], i) => rows(who, item, 100 * i)).join('')}`
const read = (files: Record<string, string>, options: object = {}) =>
  convertAndRead([writeFiles(files)], { mapping, ...options })

test('files that are called like trials are reported as participants', async () => {
  const of = (name: string) => ({ [`kim/${name}_1.csv`]: table(['', 'a']), [`kim/${name}_2.csv`]: table(['', 'b']) })
  const saidOf = async (name: string) =>
    (await read(of(name), { mapping: { ...mapping, participant: null } })).conversion.doubts.join('\n')
  expect(await saidOf('trial')).toMatch(
    /each file is taken to be a participant, .* like trials, such as trial_1: --path/,
  )
  expect(await saidOf('kim')).not.toContain('like trials')
  expect(await saidOf('kim_part')).toMatch(/like parts of one recording, such as kim_part_2: --path/)
  expect(await saidOf('kim_block')).toMatch(/like parts of one recording, such as kim_block_2: --path/)
  expect(await saidOf('kim')).not.toContain('like parts')
  // Where files name their participants, their own names do not count.
  const named = { 'kim_part_1.csv': table(['kim', 'a']), 'kim_part_2.csv': table(['kim', 'b']) }
  expect((await read(named)).conversion.doubts.join('\n')).not.toContain('is taken to be a participant')
})

test('tables that lack some columns of the mapping are to be checked, with the columns', async () => {
  const other = (rename: string) => table(['lee', 'a']).replace('x,y', rename)
  const { conversion } = await read({
    'a.csv': table(['kim', 'a']),
    'b.csv': other('left_x,left_y'),
    'c.txt': 'a,b\n1,2\n',
  })
  expect(conversion.doubts.join('\n')).toMatch(
    /b.csv lacks x, y of the mapping, and is left out: if it holds a recording, import it with a mapping of its own/,
  )
  const both = await read({ 'a.csv': table(['kim', 'a']), 'b.csv': other('x,v'), 'c.csv': other('u,v') })
  expect(both.conversion.doubts.join('\n')).toMatch(/2 tables lack columns of the mapping, such as .*b.csv y, and are/)
})

describe('names that differ only in spelling', () => {
  const near = table(['P01', 'a.png'], ['P01', 'b.png'], ['p1', 'C:\\exp\\a.png'], ['P02', 'a.png'])
  test('are reported in pairs, and count as different', async () => {
    const { conversion } = await read({ 'a.csv': near })
    expect(conversion.counts).toMatchObject({ participants: 3, items: 3 })
    expect(conversion.doubts.join('\n')).toMatch(
      /names of participants differ only in case, .* as different: P01 and p1; --join-names takes them as one\nnames of items differ only in folder, .*: a.png and C:\\exp\\a.png/,
    )
  })
  test('are one on request, the more frequent one', async () => {
    const { conversion, looks, tests } = await read({ 'a.csv': near }, { joinsNames: true })
    expect(looks.map(({ participant, item }) => `${participant} ${item}`)).toEqual([
      'P01 a.png',
      'P01 b.png',
      'P01 a.png',
      'P02 a.png',
    ])
    expect(tests.map(({ display_order: order }) => order)).toEqual(['1', '2', '3', '1'])
    expect(conversion.assumed.join('\n')).toContain('names of participants that differ only in case')
  })
  test.each([
    ['1', '01'],
    ['1', '1.0'],
    ['Zoë', 'Zoe\u0308'],
    ['ann', 'Ann '],
    ['P-01', 'P_01'],
    ['P 1', 'p01'],
  ])('%s and %s are such names', async (one, other) => {
    const { conversion } = await read({ 'a.csv': table([one, 'a'], [other, 'b']) })
    expect(conversion.doubts.join('\n')).toContain('names of participants differ only in')
  })
  test('so are those of pictures with and without an ending', async () => {
    const { conversion } = await read({ 'a.csv': table(['ann', 'cat.png'], ['bob', 'cat']) })
    expect(conversion.doubts.join('\n')).toMatch(/names of items differ only in folder, ending, .*: cat.png and cat;/)
  })
  test.each([
    ['happy/1.png', 'sad/1.png'],
    ['cat.png', 'cat.jpg'],
    ['C:\\exp\\happy\\1.png', 'C:\\exp\\sad\\1.png'],
    ['a1.png', 'a10.png'],
  ])('%s and %s are not', async (one, other) => {
    const { conversion } = await read({ 'a.csv': table(['ann', one], ['ann', other]) })
    expect(conversion.doubts.join('\n')).not.toContain('differ only in')
  })
})

describe('names in the paths of files', () => {
  const trials = [
    'participant1/trial_2.csv',
    'participant1/trial_10.csv',
    'participant2/trial_2.csv',
    'participant2/trial_10.csv',
  ]
  const files = Object.fromEntries(
    trials.map((name, i) => [name, `time,x,y\n${[0, 10, 20].map((t) => `${t},${100 * i},${t}\n`).join('')}`]),
  )
  const bare = { mapping: { ...mapping, participant: null, item: null } }
  const found = ({ looks, tests }: Awaited<ReturnType<typeof read>>) =>
    looks.map(({ participant, item }, i) => [participant, item, tests[i].display_order, tests[i].notes])

  test('are those of the pattern', async () => {
    const path = parsePathPattern('participant{participant}/trial_{trial}.csv')
    expect(found(await read(files, { ...bare, path }))).toEqual([
      ['1', '2', '1', 'trial 2'],
      ['1', '10', '2', 'trial 10'],
      ['2', '2', '1', 'trial 2'],
      ['2', '10', '2', 'trial 10'],
    ])
  })
  test('are guessed where folders of participants repeat the same files', async () => {
    const converted = await read(files, bare)
    expect(found(converted)).toEqual([
      ['participant1', 'trial_2', '1', 'trial_2'],
      ['participant1', 'trial_10', '2', 'trial_10'],
      ['participant2', 'trial_2', '1', 'trial_2'],
      ['participant2', 'trial_10', '2', 'trial_10'],
    ])
    expect(converted.conversion.doubts.join('\n')).toMatch(
      /each folder is taken to be a participant, such as participant1/,
    )
  })
  test('replace those of the data, of each file', async () => {
    const one = { 'day-2/kim.csv': table(['x', 'a']), 'day-1/kim.csv': table(['x', 'a']) }
    const converted = await read(one, { path: parsePathPattern('{session}/{participant}.csv') })
    expect(found(converted)).toEqual([
      ['kim', 'a', '1', 'session day-1'],
      ['kim', 'a', '2', 'session day-2'],
    ])
  })
  test('fit the end of a path, folder by folder', () => {
    const of = (pattern: string, path: string) => namesInPath(path, parsePathPattern(pattern))
    expect(of('s{participant}_*_{trial}.txt', 'all/data/s7_x_y_3.txt')).toEqual({ participant: '7', trial: '3' })
    expect(of('s{participant}.txt', 'as7.txt')).toBe(null)
    expect(of('{participant}/a.txt', 'a.txt')).toBe(null)
  })
  test.each(['{who}.csv', 'a.csv', '{trial}/{trial}.csv'])('%s is refused', (pattern) => {
    expect(() => parsePathPattern(pattern)).toThrow(/--path must .*, got/)
  })
  test('that no file has are refused', async () => {
    await expect(read(files, { ...bare, path: parsePathPattern('{item}.tsv') })).rejects.toThrow(
      /no path fits --path \{item\}.tsv: the first is \S+participant1\/trial_2.csv/,
    )
  })
})
