import { describe, expect, test } from 'vitest'
import { patternOf, roleOf, withMessageRole } from '../../../../dashboard/pages/bring-in/choices/message-roles.ts'

const NONE = { trialMessage: '', endMessage: '', itemMessage: '', onsetMessage: '', eventMessage: '' }
const SHOW = { example: 'SHOW (cat).png', begins: 'SHOW (' }
const found = (pattern: string, message: string) => new RegExp(pattern, 'u').exec(message)?.slice(1) ?? null

describe('the pattern of a message', () => {
  test('takes what follows the whole words with which all begin as a name, with or without a clock', () => {
    const pattern = patternOf(SHOW, 'itemMessage')
    expect(found(pattern, 'SHOW (cat).png')).toEqual(['(cat).png'])
    expect(found(pattern, '-12 SHOW dog 2.png')).toEqual(['dog 2.png'])
    expect(found(pattern, 'DO NOT SHOW it')).toBeNull()
    const trial = patternOf({ example: 'BEGIN TRIAL 1', begins: 'BEGIN TRIAL 1' }, 'trialMessage')
    expect(found(trial, 'BEGIN TRIAL 12')).toEqual(['12'])
  })

  test('is all of a message that is one word, and of one that never varies', () => {
    expect(found(patternOf({ example: 'cat.png', begins: 'cat.png' }, 'itemMessage'), 'cat.png')).toEqual(['cat.png'])
    expect(found(patternOf({ example: 'STOP NOW', begins: 'STOP NOW' }, 'endMessage'), 'STOP NOW')).toEqual([])
  })

  test('of an event has a name and a value', () => {
    expect(found(patternOf({ example: 'KEY space', begins: 'KEY ' }, 'eventMessage'), 'KEY left')).toEqual([
      'KEY',
      ' left',
    ])
  })
})

test('a message has one meaning at a time', () => {
  const first = { ...NONE, ...withMessageRole(SHOW, 'itemMessage', NONE) }
  expect(roleOf(SHOW, first)).toBe('itemMessage')
  const second = { ...first, ...withMessageRole(SHOW, 'onsetMessage', first) }
  expect([roleOf(SHOW, second), second.itemMessage]).toEqual(['onsetMessage', ''])
  const third = { ...second, ...withMessageRole(SHOW, 'shown', second) }
  expect([roleOf(SHOW, third), third.itemMessage, third.onsetMessage]).toEqual([
    'shown',
    patternOf(SHOW, 'itemMessage'),
    patternOf(SHOW, 'onsetMessage'),
  ])
  expect({ ...third, ...withMessageRole(SHOW, '', third) }).toEqual(NONE)
})
