import { expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { ITEM, OTHER_STUDY, STUDY, shareTestServer } from './test-server.ts'

/** The search over names of all studies: two, each with an item a.png. */
const service = kept(await shareTestServer())

async function search(query: Record<string, string>, token = service.read) {
  const response = await service.get(`/api2/search?${new URLSearchParams(query)}`, { 'x-auth-token': token })
  return { status: response.status, body: await response.json() }
}

test('studies and items are found by parts of their names, only those that the token may read', async () => {
  const found = await search({ q: 'NAIVE cafe' })
  expect(found).toMatchObject({ status: 200, body: { items: [], hasMore: false } })
  expect(found.body.studies).toEqual([{ studyId: STUDY, name: 'Café, naïve – 2', isArchived: false }])
  const studiesOf = async (token: string) =>
    (await search({ q: 'a.png' }, token)).body.items.map(({ studyId, itemId }: Record<string, string>) => [
      studyId,
      itemId,
    ])
  expect(await studiesOf(service.read)).toEqual([
    [STUDY, ITEM],
    [OTHER_STUDY, ITEM],
  ])
  expect(await studiesOf(service.narrow)).toEqual([[STUDY, ITEM]])
  expect((await search({ q: '研究' }, service.narrow)).body.studies).toEqual([])
})

test('participants are found in the named study, and as many of each kind as asked', async () => {
  const { body } = await search({ q: 'P', studyId: STUDY, limit: '1' })
  expect(body.participants.map(({ studyId, name }: Record<string, string>) => [studyId, name])).toEqual([[STUDY, 'p1']])
  expect(body).toMatchObject({ hasMore: true })
  expect(body.items).toHaveLength(1)
  expect((await search({ q: 'p2' })).body.participants).toEqual([])
  expect((await search({ q: 'p', studyId: OTHER_STUDY }, service.narrow)).status).toBe(404)
})

test('nothing is found without words, and a wrong value is refused', async () => {
  const nothing = { studies: [], items: [], aois: [], participants: [], hasMore: false }
  expect(await search({})).toEqual({ status: 200, body: nothing })
  expect((await search({ q: '  ', studyId: STUDY })).body).toEqual(nothing)
  expect((await search({ q: 'a', limit: '51' })).status).toBe(400)
  expect((await search({ q: 'a'.repeat(201) })).status).toBe(400)
})
