import { chance, pick, type Random, wholeBetween } from '../../demo/random.ts'
import { PARTICIPANT_CELLS } from '../../engine/import/bundle/read-participants.ts'
import { TEST_CELLS } from '../../engine/import/bundle/read-tests.ts'
import { readArrival } from '../../engine/live/arrivals/read-arrival.ts'
import { readAttributes } from '../../engine/live/arrivals/read-attributes.ts'
import { participantOf } from '../server/participants.ts'
import { claim, damageBytes, type Fuzzer, NASTY, refusalOf } from './fuzzer.ts'
import { claimLinear } from './growth.ts'

const ITEM = '1a000000-0000-4000-8000-000000000001'
/** Largest number of characters of a participant in each row of an export, whatever was sent. */
const KEPT_MAX = 130_000
const SIZE = 2 ** 17

/**
 * Bodies of participants, with fields changed, added, repeated and grown, and bytes damaged: refused in words, or kept
 * within bounds.
 */
export const BODIES: Fuzzer = {
  name: 'bodies',
  open: async () => ({ round: oneBody, close: async () => {} }),
}

async function oneBody(random: Random): Promise<void> {
  const seed = wholeBetween(random, 0, 1e6)
  const isDamaged = chance(random, 0.3)
  const grown = pick(random, ['text', 'tests', 'external data', 'digits', 'lines'])
  const column = pick(random, [...Object.keys(PARTICIPANT_CELLS), 'external_data', 'nothing'])
  const testColumn = pick(random, Object.keys(TEST_CELLS))
  const value = pick(random, [...NASTY, 5, -1e308, null, true, [], ['a', 'b'], { a: 1 }])
  const unit = pick(random, ['x', '"', '\u0000', '🙂', '9', '\\', ',', ' '])
  const bodyOf = (size: number): Buffer => {
    const { participant, tests } = participantOf(seed, [ITEM, ITEM])
    const person: Record<string, unknown> = { ...participant, [column]: value }
    const own: Record<string, unknown>[] = tests
    own[0][testColumn] = value
    if (grown === 'text') person[column] = unit.repeat(size)
    if (grown === 'digits') own[0][testColumn] = '1'.repeat(size)
    if (grown === 'external data')
      person.external_data = Object.fromEntries(
        Array.from({ length: size / 4096 }, (_, i) => [`g${i}`, unit.repeat(4096)]),
      )
    if (grown === 'tests') for (let i = 0; i < size / 1024; i++) own.push({ item_id: ITEM, notes: unit.repeat(900) })
    const lines = [{ participant: person }, ...own.map((test) => ({ test }))]
    if (grown === 'lines') return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('\n'.repeat(size)))
    return Buffer.from(JSON.stringify({ participant: person, tests: own }))
  }
  const take = async (bytes: Buffer) => {
    await refusalOf(async () => {
      const { participant, tests } = readArrival(bytes, grown === 'lines' ? 'ndjson' : 'json')
      const kept = JSON.stringify({ ...participant, id: '' }).length
      claim(kept <= KEPT_MAX, `${kept} characters of a participant are kept, with ${column} grown by ${unit}`)
      for (const { given } of tests) claim(JSON.stringify(given).length <= KEPT_MAX, `a test has too much text`)
    })
    await refusalOf(async () => readAttributes(bytes))
  }
  if (isDamaged) return take(damageBytes(random, bodyOf(64)))
  await claimLinear(`a body with its ${grown} grown (${column}, ${testColumn}, ${unit})`, SIZE, async (size) =>
    take(bodyOf(size)),
  )
}
