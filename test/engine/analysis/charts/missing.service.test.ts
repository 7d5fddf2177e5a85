import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { openDashboardServer } from '../../../dashboard/dashboard-server.ts'
import { ITEM_ID, LEFT, LOOKERS, RIGHT, twoSidesBundle } from '../../../dashboard/two-sides.ts'
import { kept } from '../../kept.ts'

const bundle = await twoSidesBundle([{ age: 19, left: 'none' }, ...LOOKERS, { age: 61, left: 'lost' }])
/**
 * Four people with gaze, and two of whom nobody knows where they looked: no sample, and none with gaze from onset on.
 */
const service = kept(await openDashboardServer([], {}, [bundle]))
await rm(bundle, { recursive: true })

type Answer = {
  kept: { tests: number; participants: number }
  counted: { tests: number; participants: number }
  columns: string[]
  rows: string[][]
  tests: { participantId: string }[]
  values: { values: number[] }[][]
}

async function answer(path: string): Promise<Answer> {
  const response = await service.get(`/api2/studies/${service.studyIds[0]}/${path}`)
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

const FOUR = { tests: 4, participants: 4 }
const SIX = { tests: 6, participants: 6 }

test.each([
  'charts/fixations?',
  'charts/gaze?',
  'charts/heatmap?',
  'charts/heatmap?of=fixations&weighting=participants&',
  'charts/aois?',
  'analysis/transitions?',
])('%s counts tests with valid gaze, and says how many are kept', async (path) => {
  const { kept, counted } = await answer(`${path}itemId=${ITEM_ID}`)
  expect(kept).toMatchObject(SIX)
  expect(counted).toEqual(FOUR)
})

test('tests without gaze have missing values, since 0 ms would mean that nobody looked', async () => {
  const groups = new URLSearchParams({ itemId: ITEM_ID, group1: LEFT, group2: RIGHT })
  const { values } = await answer(`analysis/comparisons?${groups}`)
  const left = values[0].flatMap((group) => group.values)
  expect(left.length).toBe(4)
  expect(Math.min(...left)).toBeGreaterThan(0)
  expect((await answer(`charts/fixations?itemId=${ITEM_ID}`)).tests.length).toBe(4)
})

test('of one participant without gaze there are no AOI rows, and nobody is counted', async () => {
  const { participants } = (await answer('participants?')) as unknown as { participants: { id: string; age: number }[] }
  for (const age of [19, 61]) {
    const { id } = participants.find((each) => each.age === age)!
    const { kept, counted, rows } = await answer(`charts/aois?itemId=${ITEM_ID}&participantId=${id}`)
    expect([kept.tests, counted, rows]).toEqual([1, { tests: 0, participants: 0 }, []])
  }
})

test('quality and recordings are of all tests, with gaze or without', async () => {
  for (const path of ['analysis/quality?', 'charts/recording?']) {
    const { counted, tests } = await answer(`${path}itemId=${ITEM_ID}`)
    expect([counted, tests.length]).toEqual([SIX, 6])
  }
  // Lost samples are lost: they are what this is about.
  const { bins } = (await answer(`analysis/loss?itemId=${ITEM_ID}`)) as unknown as {
    bins: { at: number; tests: number; mean: number }[]
  }
  expect(bins[0]).toMatchObject({ at: 0, tests: 5 })
  expect(bins[0].mean).toBeGreaterThanOrEqual(20)
})
