import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readArrival } from '../../../engine/live/arrivals/read-arrival.ts'
import { openLiveThread } from '../../../engine/live/live-thread.ts'
import type { AskedChange } from '../../../engine/live/thread-work.ts'
import type { Study } from '../../../engine/model/study.ts'
import { openSnapshot } from '../../../engine/snapshot/snapshots.ts'
import { idOf, participantOf } from '../../server/participants.ts'

const thread = openLiveThread()
afterAll(() => thread.close())

const memoryOf = (text: string) => Buffer.from(new TextEncoder().encode(text).buffer)
const body = (samples: number) => memoryOf(JSON.stringify(participantOf(1, [idOf('item')], samples)))

test.each([40, 5000])('a participant of %i samples is read as on the main thread', async (samples) => {
  const bytes = body(samples)
  expect(bytes.length > 64 * 1024).toBe(samples > 40)
  const here = readArrival(bytes, 'json')
  expect(await thread.readArrival(bytes, 'json')).toEqual(here)
})

test('what is wrong in a large body is told with its places', async () => {
  const { participant, tests } = participantOf(1, [idOf('item')], 5000)
  const wrong = memoryOf(JSON.stringify({ participant: { ...participant, age: -1 }, tests: [{ ...tests[0], x: 1 }] }))
  const problems = [
    expect.objectContaining({ column: 'participant.age' }),
    expect.objectContaining({ column: 'tests[0].x' }),
  ]
  await expect(thread.readArrival(wrong, 'json')).rejects.toMatchObject({ code: 'invalid_bundle', problems })
  await expect(thread.readArrival(memoryOf(`${body(5000)}x`), 'json')).rejects.toThrow('the body must be valid JSON')
})

/** A study of as many points as it may have. */
const [studyId, itemId] = [idOf('study'), idOf('item')]
const corners = Array.from({ length: 1000 }, (_, i) => ({ x: Math.cos(i / 500), y: Math.sin(i / 500) }))
const study: Study = {
  id: studyId,
  name: 'Large',
  isServiceBasicSurveyEnabled: false,
  steps: [],
  items: [
    { id: itemId, filename: 'a.png', cdnUrl: '', type: 'image', stimuliDurationMs: null, widthPx: 9, heightPx: 9 },
  ],
  aois: Array.from({ length: 100 }, (_, i) => ({
    id: idOf(`AOI ${i}`),
    itemId,
    name: `AOI ${i}`,
    parts: [{ areaPoints: { points: corners } }],
  })),
}

test('a study is made, changed and drawn upon as on the main thread, whatever is wrong told with its places', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazette-thread-'))
  try {
    const changing = { address: { dataDir, storeUrl: '' }, studyId, threads: 1, memoryMib: 128, tokenId: 'someone' }
    const change = (asked: AskedChange, ifMatch: string | null = null) => thread.change(changing, ifMatch, asked)
    const described = await thread.describe(memoryOf(JSON.stringify(study)))
    const { snapshotId: first } = await change({ kind: 'creation', described })
    const stored = async (id: string) => (await openSnapshot(join(dataDir, 'studies', studyId, id))).study
    expect(await stored(first)).toEqual(study)
    const few = study.aois.slice(0, 2)
    const aois = () => memoryOf(JSON.stringify(few))
    // Parts cross as text: as objects, so many points would hold the main thread up.
    const drawn = await thread.drawAois(join(dataDir, 'studies', studyId, first), itemId, aois())
    expect(drawn).toMatchObject({ text: JSON.stringify(few), described: { ids: few.map(({ id }) => id) } })
    const { snapshotId, impact } = await change({ kind: 'aois', itemId, bytes: aois() })
    expect(impact).toEqual({ itemIds: [itemId], tests: 0, participants: 0 })
    expect(await stored(snapshotId)).toEqual({ ...study, aois: few })
    const line = [{ ...few[0], parts: [{ areaPoints: { points: [corners[0], corners[0], corners[0]] } }] }]
    const bytes = memoryOf(JSON.stringify(line))
    await expect(change({ kind: 'aois', itemId, bytes })).rejects.toMatchObject({
      code: 'invalid_bundle',
      problems: [expect.objectContaining({ column: 'aois[0].parts[0].areaPoints', rule: 'must have an area' })],
    })
    const nobody = { kind: 'attributes', participantId: idOf('nobody'), attributes: {} } as const
    await expect(change(nobody, first)).rejects.toMatchObject({ code: 'moved_on' })
  } finally {
    await rm(dataDir, { recursive: true })
  }
})

test.each([
  ['participant is read', () => thread.readArrival(body(200_000), 'json')],
  ['study is checked', () => thread.describe(memoryOf(JSON.stringify(study)))],
])('others get their turn while a large %s', async (_, work) => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await work()
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
})
