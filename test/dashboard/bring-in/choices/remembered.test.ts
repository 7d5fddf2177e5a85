import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NO_CHOICES } from '../../../../dashboard/pages/bring-in/choices/choices.ts'
import {
  forgetChoices,
  rememberChoices,
  rememberedChoices,
} from '../../../../dashboard/pages/bring-in/choices/remembered.ts'

beforeEach(() => {
  const items = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => items.set(name, text),
    removeItem: (name: string) => items.delete(name),
  })
})
afterEach(() => vi.unstubAllGlobals())

const sent = (id: string) => [{ id }]

test('files that were sent before come with their choices, but for the study that they went to', () => {
  rememberChoices(sent('a'), { ...NO_CHOICES, name: 'Menus', widthPx: '1600', into: 'study', replaces: 'snapshot' })
  rememberChoices(sent('a'), { ...NO_CHOICES, name: 'Cards', widthPx: '1600', into: 'study' })
  const { into, replaces, ...rest } = NO_CHOICES
  expect([into, replaces]).toEqual([null, null])
  expect(rememberedChoices(sent('a'))).toEqual({ ...rest, name: 'Cards', widthPx: '1600' })
  expect(rememberedChoices(sent('b'))).toEqual({})
  expect(rememberedChoices([])).toEqual({})
})

test('the choices of the latest 20 uploads are kept, until they are forgotten', () => {
  for (let n = 0; n <= 20; n++) rememberChoices(sent(`u${n}`), NO_CHOICES)
  expect([rememberedChoices(sent('u0')), rememberedChoices(sent('u1')).name]).toEqual([{}, ''])
  forgetChoices()
  expect(rememberedChoices(sent('u20'))).toEqual({})
})
