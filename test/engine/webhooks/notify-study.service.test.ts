import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { removeStudy } from '../../../engine/study/changes/removal.ts'
import { directoryPlace } from '../../../engine/study/place.ts'
import { type Message, messageIds, readMessage, removeMessage } from '../../../engine/webhooks/message.ts'
import { createWebhook, type EventType, listWebhooks } from '../../../engine/webhooks/webhook.ts'
import { lookAtStudies } from '../../../worker/webhooks/look-at-studies.ts'
import { OTHER_STUDY, publishStudy, STUDY } from '../../server/test-server.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gazette-told-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const webhook = (events: EventType[], studies: string[] | 'all' = 'all') =>
  createWebhook(dataDir, { url: 'https://example.org/', name: '', events, studies, now: new Date() }).then(
    ({ id }) => id,
  )

async function messages(id: string): Promise<Message[]> {
  const all = await Promise.all((await messageIds(dataDir, id)).map((each) => readMessage(dataDir, id, each)))
  return all.map((each) => each!).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
}
const told = async (id: string) =>
  (await messages(id)).map(({ type, studyId, body }) => [type, studyId, JSON.parse(body).data.snapshot])

const current = async (studyId: string) => (await readFile(join(dataDir, 'studies', studyId, 'current'), 'utf8')).trim()
const remove = (studyId: string) => removeStudy({ dataDir, studyId, now: new Date() })
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (about: object) => expect(about).toBe(null) }

/** Looks as the deliverer does, anew. */
async function look(id: string): Promise<void> {
  const [found] = (await listWebhooks(dataDir)).filter((each) => each.id === id)
  const waiting = new Set((await messages(id)).map(({ studyId }) => studyId))
  await lookAtStudies({ records: dataDir, place: directoryPlace(dataDir), studies: openStudies(dataDir), log })(
    found,
    (studyId) => waiting.has(studyId),
  )
}

test('each publication and each removal is one message, even with concurrent readers', async () => {
  await publishStudy(dataDir, STUDY, 'One')
  const all = await webhook(['study.published', 'study.removed'])
  const removals = await webhook(['study.removed'])
  const others = await webhook(['study.published', 'study.removed'], [OTHER_STUDY.toUpperCase()])
  await look(all)
  expect(await told(all)).toEqual([])
  await publishStudy(dataDir, STUDY, 'Two')
  const two = await current(STUDY)
  await publishStudy(dataDir, STUDY, 'One')
  const one = await current(STUDY)
  await publishStudy(dataDir, STUDY, 'Three')
  const three = await current(STUDY)
  await publishStudy(dataDir, OTHER_STUDY, 'Other')
  const other = await current(OTHER_STUDY)
  await look(all)
  await remove(STUDY)
  await look(all)
  const expected = [
    ['study.published', STUDY, two],
    ['study.published', STUDY, one],
    ['study.published', STUDY, three],
    ['study.published', OTHER_STUDY, other],
    ['study.removed', STUDY, three],
  ]
  expect(await told(all)).toEqual(expected)
  expect(await told(removals)).toEqual([expected[4]])
  await look(others)
  expect(await told(others)).toEqual([expected[3]])
  await publishStudy(dataDir, STUDY, 'Four')
  expect((await told(all))[5]).toEqual(['study.published', STUDY, await current(STUDY)])
})

test('a study that its publisher was killed before telling is told by the next who looks, and by the next who changes it', async () => {
  await publishStudy(dataDir, STUDY, 'One')
  const one = await current(STUDY)
  await publishStudy(dataDir, STUDY, 'Two')
  const two = await current(STUDY)
  const id = await webhook(['study.published', 'study.removed'])
  await publishStudy(dataDir, STUDY, 'Three')
  for (const each of await messageIds(dataDir, id)) await removeMessage(dataDir, id, each)
  // As one leaves it that is killed right after publishing.
  const publishSilently = (snapshot: string) => writeFile(join(dataDir, 'studies', STUDY, 'current'), `${snapshot}\n`)
  await publishSilently(one)
  await look(id)
  expect(await told(id)).toEqual([['study.published', STUDY, one]])
  // While that waits, what comes by itself is not told one by one; the newest is, afterwards.
  await publishSilently(two)
  await look(id)
  expect(await told(id)).toHaveLength(1)
  await publishStudy(dataDir, STUDY, 'Four')
  expect((await told(id)).map(([, , snapshot]) => snapshot)).toEqual([one, two, await current(STUDY)])
  await rm(join(dataDir, 'studies', STUDY, 'current'))
  await look(id)
  expect((await told(id)).at(-1)?.[0]).toBe('study.removed')
})
