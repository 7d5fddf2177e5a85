import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DashboardHouse, openDashboardHouse } from '../dashboard/house.ts'
import { ITEM_ID, LEFT, nestedBundle, RIGHT } from '../dashboard/two-sides.ts'
import { gazette } from './gazette.ts'

let house: DashboardHouse
let data: string
beforeAll(async () => {
  const bundle = await nestedBundle()
  house = await openDashboardHouse([], {}, [bundle])
  data = join(house.parts.config.dataDir)
  expect(data.startsWith(tmpdir())).toBe(true)
  await rm(bundle, { recursive: true })
})
afterAll(() => house.close())

const answered = async (path: string) => (await house.get(`/api2/studies/${house.studyIds[0]}/analysis/${path}`)).json()

test('gazette analyse prints what the server answers', async () => {
  const own = ['--study', 'Two sides', '--item', 'item-1.png', '--data', data]
  const compared = await gazette(['analyse', 'comparisons', ...own, '--group', LEFT, '--group', RIGHT])
  expect([compared.code, compared.stderr]).toEqual([0, ''])
  const query = new URLSearchParams({ itemId: ITEM_ID, group1: LEFT, group2: RIGHT })
  expect(JSON.parse(compared.stdout)).toEqual(await answered(`comparisons?${query}`))
  const more = ['--nested', 'smallest', '--gaze-velocity-threshold', '90']
  const followed = await gazette(['analyse', 'transitions', ...own, ...more])
  expect(JSON.parse(followed.stdout)).toEqual(
    await answered(`transitions?itemId=${ITEM_ID}&nested=smallest&gazeVelocityThreshold=90`),
  )
})

test('gazette analyse says what it needs', async () => {
  const own = ['analyse', 'comparisons', '--study', 'Two sides', '--data', data]
  const one = await gazette([...own, '--item', 'item-1.png', '--group', LEFT])
  expect([one.code, one.stderr]).toEqual([2, 'gazette: comparisons need --group two to four times, got 1\n'])
  const none = await gazette([...own, '--group', LEFT, '--group', RIGHT])
  expect([none.code, none.stderr]).toEqual([2, 'gazette: an analysis is of one item: give --item\n'])
})
