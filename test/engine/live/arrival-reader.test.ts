import { afterAll, expect, test } from 'vitest'
import { openArrivalReader } from '../../../engine/live/arrival-reader.ts'
import { readArrival } from '../../../engine/live/read-arrival.ts'
import { idOf, participantOf } from '../../server/participants.ts'

const reader = openArrivalReader()
afterAll(() => reader.close())

const memoryOf = (text: string) => Buffer.from(new TextEncoder().encode(text).buffer)
const body = (samples: number) => memoryOf(JSON.stringify(participantOf(1, [idOf('item')], samples)))

test.each([40, 5000])('a participant of %i samples is read as on the main thread', async (samples) => {
  const bytes = body(samples)
  expect(bytes.length > 64 * 1024).toBe(samples > 40)
  const here = readArrival(bytes, 'json')
  expect(await reader.read(bytes, 'json')).toEqual(here)
})

test('what is wrong in a large body is told with its places', async () => {
  const { participant, tests } = participantOf(1, [idOf('item')], 5000)
  const wrong = memoryOf(JSON.stringify({ participant: { ...participant, age: -1 }, tests: [{ ...tests[0], x: 1 }] }))
  const problems = [
    expect.objectContaining({ column: 'participant.age' }),
    expect.objectContaining({ column: 'tests[0].x' }),
  ]
  await expect(reader.read(wrong, 'json')).rejects.toMatchObject({ code: 'invalid_bundle', problems })
  await expect(reader.read(memoryOf(`${body(5000)}x`), 'json')).rejects.toThrow('the body must be valid JSON')
})

test('others get their turn while a large body is read', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await reader.read(body(200_000), 'json')
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
})
