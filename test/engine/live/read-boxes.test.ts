import { describe, expect, test } from 'vitest'
import { withBoxes } from '../../../engine/live/read-boxes.ts'
import type { ServiceError } from '../../../engine/model/errors.ts'
import type { Aoi, Study } from '../../../engine/model/study.ts'
import { uuid } from '../import/bundles.ts'

const item = (n: number, filename: string) => ({
  id: uuid('1', n),
  filename,
  cdnUrl: '',
  type: 'image',
  stimuliDurationMs: null,
  widthPx: 1000,
  heightPx: 500,
})
const box = (left: number, top: number, right: number, bottom: number) => [
  { areaPoints: { topLeft: { xPx: left, yPx: top }, bottomRight: { xPx: right, yPx: bottom } } },
]
const before: Aoi[] = [
  { id: uuid('a', 1), itemId: uuid('1', 1), name: '1.1 The', tags: ['noun'], parts: box(0, 0, 5, 5) },
  { id: uuid('a', 2), itemId: uuid('1', 1), name: '1.2 old', parts: box(5, 0, 9, 5) },
  { id: uuid('a', 3), itemId: uuid('1', 2), name: 'picture', parts: box(0, 0, 9, 9) },
]
const study: Study = {
  id: uuid('0', 1),
  name: 'Texts',
  isServiceBasicSurveyEnabled: false,
  items: [item(1, 'page.png'), item(2, 'other.png')],
  steps: [],
  aois: before,
}
const given = (text: string, itemId: string | null = null) => withBoxes(study, Buffer.from(text), 'words.csv', itemId)
const ofItem = ({ aois }: Study, n: number) => aois.filter(({ itemId }) => itemId === uuid('1', n))

async function refused(text: string | Buffer, itemId: string | null = null) {
  try {
    await withBoxes(study, Buffer.from(text), 'words.csv', itemId)
  } catch (error) {
    return (error as ServiceError).problems.map(({ file, line, column, value, rule }) =>
      [file, line, column, value, rule].filter((part) => part !== null).join(' | '),
    )
  }
  return null
}

describe('boxes of words become AOIs', () => {
  const corners = 'item,line,text,left,top,right,bottom\npage.png,1,The,10,20,50,60\npage.png,1,"q, u",50,20,99.5,60\n'

  test('named by line and place, in the place of those of their items', async () => {
    const changed = await given(`${corners}page.png,2,fox,10,60,50,100\n`)
    expect(ofItem(changed, 1).map(({ name, parts }) => [name, parts])).toEqual([
      ['1.1 The', box(10, 20, 50, 60)],
      ['1.2 q, u', box(50, 20, 99.5, 60)],
      ['2.1 fox', box(10, 60, 50, 100)],
    ])
    expect(ofItem(changed, 2)).toEqual(ofItem(study, 2))
  })

  test('as x, y, width and height, by semicolons, with a byte order mark and names of any case', async () => {
    const same =
      '\uFEFFItem;Line;Word;X;Y;Width;Height\r\npage.png;1;The;10;20;40;40\r\npage.png;1;q, u;50;20;49.5;40\r\n'
    expect(await given(same)).toEqual(await given(corners))
  })

  test('which keep id and tags of an AOI of the same name, and else have the same ids each time', async () => {
    const [the, next] = ofItem(await given(corners), 1)
    expect(the).toMatchObject({ id: uuid('a', 1), tags: ['noun'] })
    expect(next.id).toBe(ofItem(await given(corners), 1)[1].id)
    const again = await given(corners)
    expect(await withBoxes(again, Buffer.from(corners), 'words.csv')).toEqual(again)
  })

  test('by the place that is given, or else by the order of the rows in a line', async () => {
    const names = async (text: string) => ofItem(await given(text), 1).map(({ name }) => name)
    expect(
      await names('item,line,place,text,x,y,width,height\npage.png,1,2,b,9,0,9,9\npage.png,1,1,a,0,0,9,9\n'),
    ).toEqual(['1.2 b', '1.1 a'])
    // Two lines by turns, and a text without any letters.
    expect(
      await names('item,line,text,x,y,width,height\npage.png,1,a,0,0,9,9\npage.png,2,b,0,9,9,9\npage.png,1,,9,0,9,9\n'),
    ).toEqual(['1.1 a', '2.1 b', '1.2'])
  })

  test('and boxes without line are AOIs of that name', async () => {
    const changed = await given('item,line,text,x,y,width,height\npage.png,,picture,0,0,9,9\npage.png,1,a,9,0,9,9\n')
    expect(ofItem(changed, 1).map(({ name }) => name)).toEqual(['picture', '1.1 a'])
  })

  test('of items by id; of one item without naming it', async () => {
    const plain = corners.replaceAll('page.png,', '').replace('item,', '')
    expect(await given(plain, uuid('1', 1))).toEqual(await given(corners))
    expect(await given(corners.replaceAll('page.png', uuid('1', 1).toUpperCase()))).toEqual(await given(corners))
    expect(await refused(corners, uuid('1', 2))).toEqual([
      'words.csv | 2 | item | page.png | must be the item of the path, or be left out',
      'words.csv | 3 | item | page.png | must be the item of the path, or be left out',
    ])
  })
})

describe('boxes are refused', () => {
  test('with each wrong cell', async () => {
    const rows = [
      'no.png,1,a,0,0,9,9',
      'page.png,x,a,0,0,9,9',
      'page.png,1,a,,0,9,9',
      'page.png,1,a,9,0,9,NaN',
      ',,,0,0,9,9',
    ]
    expect(await refused(`item,line,text,left,top,right,bottom\n${rows.join('\n')}`)).toEqual([
      'words.csv | 2 | item | no.png | must be the file name or id of an item of the study',
      'words.csv | 3 | line | x | must be a whole number, 0 to 999999',
      'words.csv | 4 | left |  | must be a number of px',
      'words.csv | 5 | right | 9 | must be beyond the opposite side',
      'words.csv | 5 | bottom | NaN | must be a number of px',
      'words.csv | 6 | item |  | must be the file name or id of an item of the study',
      'words.csv | 6 | text |  | must not be empty in a row without line',
    ])
  })

  test('by the lines at which rows start, after empty lines and line breaks in quotes', async () => {
    const text = '\nitem,text,x,y,width,height\r\n\r\npage.png,"a\nb",0,0,9,9\n\npage.png,c,?,0,9,9\n'
    expect(await refused(text)).toEqual(['words.csv | 7 | left | ? | must be a number of px'])
    expect(await refused(text.replaceAll(',', ';'))).toEqual(await refused(text))
  })

  test('with text outside of quotes, a quote that is open, or a line that ends with CR', async () => {
    const head = 'item;text;x;y;width;height\n'
    const stray = 'has a quote inside a cell, where quotes must be doubled and the whole cell quoted'
    expect(await refused(`${head}page.png;"a"b;0;0;9;9\npage.png;c"d";0;0;9;9\npage.png;"e";0;0;9;9\n`)).toEqual([
      `words.csv | 2 | page.png;"a"b;0;0;9;9 | ${stray}`,
      `words.csv | 3 | page.png;c"d";0;0;9;9 | ${stray}`,
    ])
    expect(await refused(`${head}page.png;a;0;0;9;9\npage.png;"b;9;0;9;9\n`)).toEqual([
      'words.csv | 3 | page.png;"b;9;0;9;9 | has a quote that is not closed',
    ])
    expect(await refused(`${head}page.png;a;0;0;9;9\rpage.png;b;9;0;9;9`)).toEqual([
      'words.csv | 2 | page.png;a;0;0;9;9\rpage.png;b;9;0;9;9 | must end its lines with LF or CRLF, not with CR alone',
    ])
  })

  test('with two words in one place, or two AOIs of one name', async () => {
    const head = 'item,line,place,text,x,y,width,height'
    expect(await refused(`${head}\npage.png,1,1,a,0,0,9,9\npage.png,1,1,b,9,0,9,9\n`)).toEqual([
      'words.csv | 3 | place | 1.1 | must not be the line and place of a second word of the item',
    ])
    expect(await refused(`${head}\npage.png,,,a,0,0,9,9\npage.png,,,a,9,0,9,9\n`)).toEqual([
      'words.csv | 3 | text | a | must not be the text of a second row without line of the item',
    ])
  })

  test('without the columns, rows or letters that they need', async () => {
    expect(await refused('item,line,text,left,top,right\npage.png,1,a,0,0,9\n')).toEqual([
      'words.csv | must have the columns text, left, top, and right and bottom or width and height',
    ])
    expect(await refused('item,line,text,left,top,right,bottom\n')).toEqual([
      'words.csv | must have a row below its header',
    ])
    expect(await refused(Buffer.from('item,text\npage.png,G\xe4nse', 'latin1'))).toEqual(['words.csv | must be UTF-8'])
  })

  test('if two items have the file name', async () => {
    const twins = { ...study, items: [item(1, 'page.png'), item(2, 'page.png')] }
    const text = 'item,text,x,y,width,height\npage.png,a,0,0,9,9\n'
    await expect(withBoxes(twins, Buffer.from(text), 'words.csv')).rejects.toThrow('words.csv has 1 problem')
  })

  test('by the name of the table, if a study cannot have such AOIs', async () => {
    const text = `item,text,x,y,width,height\npage.png,${'a'.repeat(5000)},0,0,9,9\n`
    await expect(withBoxes(study, Buffer.from(text), 'words.csv')).rejects.toThrow('words.csv has 1 problem')
  })
})
