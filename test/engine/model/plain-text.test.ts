import { expect, test } from 'vitest'
import { isPlainText, mayBeNotPlain, plainTextFaults } from '../../../engine/model/plain-text.ts'

test('a text has no zero and no half of a surrogate pair; a whole pair is a character', () => {
  expect(['', 'a', '😀', '\ufffd', '\u0001'].map(isPlainText)).toEqual([true, true, true, true, true])
  expect(['\0', 'a\0b', '\ud83d', '\ude00\ud83d', '😀\ud83d'].map(isPlainText)).toEqual(Array(5).fill(false))
})

test('faults name each place, fields too, and show the characters as escapes', () => {
  const json = { name: 'a\0', tags: ['b', '\ud83d'], '\ude00': 1, deep: [{ x: '😀' }] }
  const rule = 'must not contain U+0000 or half of a surrogate pair'
  expect(plainTextFaults(json, 'the body')).toEqual(
    expect.arrayContaining([
      { parameter: 'name', rule, value: 'a\\u0000' },
      { parameter: 'tags.1', rule, value: '\\ud83d' },
      { parameter: 'the body', rule, value: '\\ude00' },
    ]),
  )
  expect(plainTextFaults(json, 'the body')).toHaveLength(3)
})

test('JSON can hold them only as escapes', () => {
  expect(mayBeNotPlain(JSON.stringify({ a: '\0' }))).toBe(true)
  expect(mayBeNotPlain(JSON.stringify({ a: '\ud83d' }))).toBe(true)
  expect(mayBeNotPlain(JSON.stringify({ a: '😀é\n' }))).toBe(false)
})
