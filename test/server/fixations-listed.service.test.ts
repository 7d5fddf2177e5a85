import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { FixationsData } from '../../server/schemas/dashboard.ts'
import { kept } from '../engine/kept.ts'
import { ITEM, STUDY, shareTestServer } from './test-server.ts'

const service = kept(await shareTestServer())

const ask = async (query: string) =>
  (await service.get(`/api2/studies/${STUDY}/charts/fixations?itemId=${ITEM}${query}`)).json()

test('fixations without their list have the same numbers, of all tests', async () => {
  const whole = (await ask('')) as z.infer<typeof FixationsData>
  const { tests, listedTests, ...numbers } = whole
  expect(whole.fixationCount).toBeGreaterThan(2)
  expect(listedTests).toBe(tests.length)
  const ends = tests.flatMap(({ fixations }) => fixations.map(([, , , endMs]) => endMs))
  expect(whole.lastEndMs).toBe(Math.max(...ends))
  expect(await ask('&listed=true')).toEqual(whole)
  expect(await ask('&listed=false')).toEqual({ ...numbers, listedTests: 0, tests: [] })
  expect(await ask('&listed=no')).toMatchObject({
    errors: [{ parameter: 'listed', rule: 'must be true or false', value: 'no' }],
  })
})
