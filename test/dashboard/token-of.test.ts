import { expect, test } from 'vitest'
import { tokenOf } from '../../dashboard/pages/sign-in/token-of.ts'

const token = '0b9a6c1e-3f5d-4e7b-9a8c-2d1e0f9b8a7c'

test.each([
  token,
  ` ${token}\n`,
  `X-AUTH-TOKEN: ${token}\n`,
  `x-auth-token:${token}`,
  `Authorization: Bearer ${token}`,
])('a token is found in what is pasted: %j', (text) => {
  expect(tokenOf(text)).toBe(token)
})

test('any other text stays as it is', () => {
  expect(tokenOf('bearer')).toBe('bearer')
  expect(tokenOf(`token ${token}`)).toBe(`token ${token}`)
})
