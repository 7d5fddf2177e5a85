import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const mapping = mappingOf({ screen: { widthPx: 1000, heightPx: 800 } })
const read = (files: Record<string, string | Buffer>, options = {}) =>
  convertAndRead([writeFiles(files)], { mapping, ...options })

describe('rows without an item', () => {
  test('are omitted and counted, whatever text a program writes for missing values', async () => {
    const rows = ['a,dog,0,1,2', 'a,,10,1,2', 'a,NA,20,1,2', 'a,n/a,30,1,2', 'a,cat,40,3,4', ',cat,50,3,4']
    const { looks, conversion } = await read({ 'a.csv': `who,what,t,x,y\n${rows.join('\n')}\n` })
    expect(looks.map(({ item, samples }) => [item, samples])).toEqual([
      ['dog', [[0, 1, 2]]],
      ['cat', [[0, 3, 4]]],
    ])
    expect(conversion.left.join('\n')).toMatch(/^3 rows without an item \(.*a.csv\)$/m)
    expect(conversion.left.join('\n')).toMatch(/^1 row without a participant \(.*a.csv\)$/m)
  })
  test('are left out of Gazepoint, too', async () => {
    const rows = ['0,dog,0,0,0.5,0.5,1,', ',,1,0.1,0.5,0.5,1,']
    const text = `MEDIA_ID,MEDIA_NAME,CNT,TIME(2026/01/01 10:00:00.000),BPOGX,BPOGY,BPOGV,\n${rows.join('\n')}\n`
    const { looks, conversion } = await read({ 'User 0_all_gaze.csv': text }, { mapping: undefined })
    expect(looks.map(({ item }) => item)).toEqual(['dog'])
    expect(conversion.left.join()).toMatch(/1 row without an item/)
  })
})

describe('where nothing is found', () => {
  test('it is said why, with the first cell', async () => {
    const rows = Array.from({ length: 2499 }, (_, i) => `a,dog,12:00:0${i % 10},1,2`).join('\n')
    await expect(read({ 'a.csv': `who,what,t,x,y\n${rows}\n` })).rejects.toThrow(
      /no recording was found .*: they have 2,499 rows whose time is not a number \(.*a.csv\); the first is "12:00:00" in line 2 of .*a.csv/,
    )
  })
  test('the table is named that lacks the fewest columns of the mapping, with those it has', async () => {
    const files = { 'a-people.csv': 'id,age\n1,2\n', 'gaze.csv': 'who,what,time,x,y\na,dog,0,1,2\n' }
    await expect(read(files)).rejects.toThrow(
      /gaze.csv does not have the columns of the mapping: t is missing; it has who, what, time, x, y/,
    )
  })
  test('a table that looks like samples is named before other tables, lists and binary files', async () => {
    const files = {
      'a-people.csv': 'id,age\n1,2\n',
      'b.mat': Buffer.from('MATLAB 5.0 MAT-file\0\0', 'latin1'),
      'c.csv': 'CURRENT_FIX_X,CURRENT_FIX_Y\n1,2\n',
      'gaze.csv': 'name,when_time,gaze_x,gaze_y\na,0,1,2\n',
    }
    await expect(read(files, { mapping: undefined })).rejects.toThrow(
      /gaze.csv is a table \(name, when_time, gaze_x, gaze_y\) of no known format: .*--guess/,
    )
    await expect(read(files, { mapping: undefined, format: 'gorilla' })).rejects.toThrow(
      /none of the files is in the format gorilla .*; .*gaze.csv is a table \(name/,
    )
  })
  test.each([
    ['a.mat', 'MATLAB 7.3 MAT-file\0', 'writetable'],
    ['a.rda', '\x1f\x8b\x08\x00\x00', 'write.csv'],
    ['a.feather', 'ARROW1\0\0', 'to_csv'],
    ['a.pkl', '\x80\x04\x95\0\0', 'to_csv'],
    ['a.idf', '\0\0\0\x01', 'IDF Converter'],
  ])('%s is told how to become a table', async (name, bytes, remedy) => {
    await expect(read({ [name]: Buffer.from(bytes, 'latin1') }, { mapping: undefined })).rejects.toThrow(remedy)
  })
})

test('notes are summed over files', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 11 }, (_, i) => [
      `p${i}.csv`,
      `who,what,t,x,y\np${i},dog,0,1,2\np${i},,1,1,2\np${i},dog,9,oops,2`,
    ]),
  )
  const { conversion } = await read(files)
  expect(conversion.left.filter((line) => line.includes('without an item'))).toHaveLength(1)
  expect(conversion.left.join('\n')).toMatch(/^11 rows without an item \(11 files: \S+, \S+, \S+, …\)$/m)
  expect(conversion.left.join('\n')).toMatch(
    /^11 cells that are not numbers .*; the first is "oops" in line 4 of .*p0.csv$/m,
  )
  expect(conversion.assumed.filter((line) => line.includes('a last line without a line end'))).toHaveLength(1)
})

test('a bundle among recordings is not what the sentence is about, and alone in a folder it is named', async () => {
  const bundle = { 'study/study.json': '{}', 'study/samples.csv': 'test_id,t_ms,gaze_x_px,gaze_y_px\na,0,1,2\n' }
  const gaze = { 'z-gaze.csv': 'who,t_ms,x,y\na,0,1,2\n' }
  await expect(convertAndRead([writeFiles({ ...bundle, ...gaze })])).rejects.toThrow(/z-gaze\.csv is a table/)
  await expect(convertAndRead([writeFiles(bundle)])).rejects.toThrow(/study is a study bundle: give that folder alone/)
})
