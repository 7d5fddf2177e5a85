import { expect, test } from 'vitest'
import { csvOf, htmlOf, markdownOf } from '../../dashboard/core/numbers-csv.ts'

const cellOf = (value: string | number | null) =>
  csvOf({ columns: ['column'], rows: [[value]] }).slice('column\n'.length, -1)

test.each([
  ['=1+1', "'=1+1"],
  ['+1-2', "'+1-2"],
  ['-cmd', "'-cmd"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－x', "'－x"],
  ['＠x', "'＠x"],
  ['\t=1', "'\t'=1"],
  ['\n=1', '"\'\n\'=1"'],
  ['left;=1', "left;'=1"],
  ['left\t@x', "left\t'@x"],
])('saved numbers disarm %j', (text, cell) => expect(cellOf(text)).toBe(cell))

test.each(['', 'left', 'a=1', "'=1", '-1.5', '12', 'a; b', 'x - y'])('saved numbers leave %j as it is', (text) =>
  expect(cellOf(text)).toBe(text),
)

test('saved numbers leave numbers as they are, and quote as the exports do', () => {
  expect([cellOf(-1.5), cellOf(null), cellOf('a,"b"')]).toEqual(['-1.5', '', '"a,""b"""'])
})

test('Markdown takes nothing of the text for its own, and a row stays a row', () => {
  const numbers = {
    columns: ['name', 'n'],
    rows: [
      ['a|b*c_<i>`\nd', 1.5],
      ['=1+1', null],
    ],
  }
  expect(markdownOf(numbers)).toBe("| name | n |\n| --- | ---: |\n| a\\|b\\*c\\_\\<i\\>\\` d | 1.5 |\n| '=1+1 |  |\n")
})

test('HTML holds text as text, and no formula', () => {
  expect(htmlOf({ columns: ['a'], rows: [['<img src=x onerror="1">&'], ['=1+1'], [-2]] })).toBe(
    "<table><tr><td>a</td></tr><tr><td>&#60;img src=x onerror=&#34;1&#34;&#62;&#38;</td></tr><tr><td>'=1+1</td></tr><tr><td>-2</td></tr></table>",
  )
})
