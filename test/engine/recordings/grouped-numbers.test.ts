import { afterEach, describe, expect, test } from 'vitest'
import { groupsThousands, isOddNumber } from '../../../engine/recordings/text/grouped-numbers.ts'
import { cleanUp, convertAndRead, writeFiles } from './converted.ts'
import { mappingOf } from './mapping.ts'

afterEach(cleanUp)

const mapping = mappingOf({
  time: { column: 't', unit: 'ms', origin: 'item' },
  screen: { widthPx: 1920, heightPx: 1080 },
})

async function read(text: string) {
  const { samples, conversion } = await convertAndRead([writeFiles({ 'a.csv': text })], { mapping, isImported: false })
  return { rows: [...samples.values()].flat(), doubts: conversion.doubts.join('\n') }
}

describe('marks between thousands', () => {
  test('are told from decimal marks by the whole numbers below 1,000 beside them', () => {
    expect(groupsThousands(['986', '995', '1,002', '1,010', '998', '1,004'], ',')).toBe(true)
    expect(groupsThousands(['0', '16.667', '33.333', '50', '66.667', '83.333', '100'], '.')).toBe(false)
    expect(groupsThousands(['812,345', '812,346', '812', '813', '814', '812,347'], ',')).toBe(false)
    expect(groupsThousands(['986', '995', '1.5', '1.002', '998', '1.010', '1.004'], '.')).toBe(false)
    expect(groupsThousands(['0.986', '0.995', '1.002', '1.010', '1.004'], '.')).toBe(false)
  })
  test('make a number unreadable, which is to be checked', async () => {
    const xs = [986, 995, 1002, 1010, 998, 1004, 300, 1200]
    const table = (format: (x: number) => string, to: string) =>
      [
        'who,what,t,x,y'.replaceAll(',', to),
        ...xs.map((x, i) => ['kim', 'dog', 10 * i, format(x), 500].join(to)),
        '',
      ].join('\n')
    const english = await read(table((x) => `"${x.toLocaleString('en')}"`, ','))
    const german = await read(table((x) => x.toLocaleString('en').replace(',', '.'), ';'))
    for (const { rows, doubts } of [english, german]) {
      expect(rows.map(({ x }) => x)).toEqual([986, 995, null, null, 998, null, 300, null])
      expect(doubts).toMatch(/numbers such as "1[,.]002" in line 4 of .*a.csv cannot be read, and count as lost/)
    }
  })
  test('and other ways of writing a number are told from words for none', () => {
    expect(['1,234,567.5', "1'234", '1 234', '12.5 px', '1422,7', '="12"'].map(isOddNumber)).not.toContain(false)
    expect(['1.#QNAN', '-1.#IND', 'n/a', '#N/A', 'lost', '-nan(ind)'].map(isOddNumber)).not.toContain(true)
  })
})

test('a decimal mark other than that of most numbers is to be checked', async () => {
  const { rows, doubts } = await read('who,what,t,x,y\nkim,dog,10.5,500.5,300\nkim,dog,20.5,"501,5",300\n')
  expect(rows.map(({ x }) => x)).toEqual([500.5, null])
  expect(doubts).toMatch(/numbers such as "501,5" in line 3 of .*a.csv cannot be read, and count as lost: write them/)
})

test('numbers may have spaces around them that do not break', async () => {
  const { rows } = await read('who,what,t,x,y\nkim,dog,\u00a010,500\u00a0,\u2009300\n')
  expect(rows).toMatchObject([{ tMs: 10, x: 500, y: 300 }])
})

describe('a second header between the rows', () => {
  const header = 'who,what,t,x,y'
  test('is left out if it is the same', async () => {
    const { rows, doubts } = await read(`${header}\nkim,dog,0,1,2\n${header}\nlee,dog,0,3,4\n`)
    expect(rows.map(({ x, y }) => [x, y])).toEqual([
      [1, 2],
      [3, 4],
    ])
    expect(doubts).not.toMatch(/rows of .*a.csv/)
  })
  test('is refused if it has the columns in another order, since rows below it would be misread', async () => {
    await expect(read(`${header}\nkim,dog,0,1,2\nwho,what,t,y,x\nlee,dog,0,4,3\n`)).rejects.toThrow(
      /a.csv, line 3: a second header has other columns, or another order of them, than the first \(who, what, t, y, x\)/,
    )
    await expect(read(`${header}\nkim,dog,0,1,2\nt,who,what,x,y\n0,lee,dog,4,3\n`)).rejects.toThrow(/line 3: a second/)
  })
})

test('a file most of whose rows lack an item or a time is to be checked', async () => {
  const filled = await read('who,what,t,x,y\nkim,dog,0,1,2\nkim,,10,1,2\nkim,,20,1,2\n')
  expect(filled.doubts).toMatch(/2 of 3 rows of .*a.csv have no item, and are left out: where only the first row/)
  const grouped = await read('who,what,t,x,y\nkim,dog,10.5,1,2\nkim,dog,"1,010.5",1,2\nkim,dog,"1,020.5",1,2\n')
  expect(grouped.doubts).toMatch(/2 of 3 rows of .*a.csv have no time that is a number/)
  expect(grouped.doubts).toMatch(/numbers such as "1,010.5" in line 3 of .*a.csv cannot be read/)
  expect((await read('who,what,t,x,y\nkim,dog,0,1,2\nkim,,10,1,2\n')).doubts).not.toMatch(/rows of .*a.csv/)
})

test('rows with more cells than the header are to be checked, since a separator may have shifted them', async () => {
  const { doubts } = await read('who,what,t,x,y\nkim,dog,0,1,2,\nkim,dog,10,1,5,2,7\n')
  expect(doubts).toMatch(/rows of .*a.csv have more cells than the header has names, first line 3: a separator within/)
  expect((await read('who,what,t,x,y\nkim,dog,0,1,2,\nkim,dog,10,1,5,,\n')).doubts).not.toMatch(/more cells/)
})
