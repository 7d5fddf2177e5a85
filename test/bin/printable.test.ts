import { expect, test } from 'vitest'
import { printable } from '../../bin/terminal/printable.ts'

test('what a terminal would obey is a dot, all else stays', () => {
  expect(printable('a\u001b[31mb\u009b2Jc\u007f')).toBe('a·[31mb·2Jc·')
  expect(printable('two\nlines\r\tin\u202eone')).toBe('two·lines··in·one')
  expect(printable('Größe 測定 👩\u200d💻 نمی\u200cخواهم')).toBe('Größe 測定 👩\u200d💻 نمی\u200cخواهم')
})
