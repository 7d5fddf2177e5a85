import { expect, test } from 'vitest'
import type { z } from 'zod'
import { firstLooks } from '../../engine/analysis/statistics/first-looks.ts'
import type { Transitions } from '../../server/schemas/analysis.ts'
import { kept } from '../engine/kept.ts'
import { openDashboardServer } from './dashboard-server.ts'
import { rowsOf, viewedRowsOf } from './rows.ts'
import { ITEM_ID, nestedBundle } from './two-sides.ts'

/** Transitions, visits and first fixations, recomputed from the CSV; and an AOI inside another. */
const service = kept(
  await openDashboardServer([{ participants: 24, items: 2, seconds: 4, hz: 30, seed: 3 }], {}, [await nestedBundle()]),
)

type Answer = z.infer<typeof Transitions>

const SETTINGS: Record<string, string>[] = [{}, { gazeVelocityThreshold: '90', filter: 'participant_age > 25' }]
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

async function ask(study: number, query: Record<string, string>): Promise<Answer> {
  const answer = await service.get(
    `/api2/studies/${service.studyIds[study]}/analysis/transitions?${new URLSearchParams(query)}`,
  )
  expect(answer.status).toBe(200)
  return (await answer.json()) as Answer
}

test('of the demo study are those of its CSV, with any settings', async () => {
  const { items } = (await (await service.get(`/api2/studies/${service.studyIds[0]}`)).json()) as {
    items: { id: string }[]
  }
  for (const { id: itemId } of items)
    for (const more of SETTINGS) {
      const query: Record<string, string> = { itemId, ...more }
      const path = (name: string) => `${name}?${new URLSearchParams(query)}`
      const csv = (name: string) => rowsOf(service, service.studyIds[0], path(name))
      const viewed = (name: string) => viewedRowsOf(service, service.studyIds[0], path(name))
      const answer = await ask(0, query)
      const { aoiIds, transitions, visits, visiting } = answer
      const placeOf = (id: string) => (id === '' ? aoiIds.length : aoiIds.indexOf(id))
      const counts = transitions.counts.map((row) => row.map(() => 0))
      for (const row of await csv('eye-tracking/aois-all/transitions'))
        counts[placeOf(row.from_aoi_id)][placeOf(row.to_aoi_id)] += Number(row.transition_count)
      expect(transitions.counts).toEqual(counts)
      expect(transitions.total).toBe(sum(counts.flat()))
      const shares = counts.map((row) => row.map((n) => (sum(row) === 0 ? null : n / sum(row))))
      expect(transitions.probabilities).toEqual(shares)
      const rows = await csv('eye-tracking/aois-all/visits')
      const tests = await viewed('keyboard-and-mouse/overall-per-participant')
      expect(answer.counted.tests).toBe(tests.length)
      const stats = await viewed('eye-tracking/aois-all/fixations-stats')
      for (const [a, id] of aoiIds.entries()) {
        const own = rows.filter((row) => row.aoi_id === id)
        const testIds = new Set(own.map((row) => row.test_id))
        expect([visits[a].visits, visits[a].tests]).toEqual([own.length, testIds.size])
        if (own.length > 0) {
          expect(visits[a].dwellMs).toBeCloseTo(sum(own.map((row) => Number(row.visit_dwell_ms))) / own.length, 9)
          expect(visits[a].durationMs).toBeCloseTo(sum(own.map((row) => Number(row.visit_duration_ms))) / own.length, 9)
        }
        const t = visiting.timesMs[20]
        expect(visiting.tests[20]).toBe(tests.filter((row) => !(t >= Number(row.test_duration_ms))).length)
        const inside = own.filter((row) => Number(row.visit_starts_at_ms) <= t && t < Number(row.visit_ends_at_ms))
        expect(visiting.percents[a][20]).toBeCloseTo((100 * inside.length) / visiting.tests[20], 9)
        const looks = stats.filter((row) => row.aoi_id === id)
        const ttff = looks.map(({ aoi_fixation_ttff_ms: ms }) => (ms === '' ? Number.NaN : Number(ms)))
        expect(answer.firstLooks[a]).toEqual(
          firstLooks(
            looks.map((row) => row.participant_id),
            Float64Array.from(ttff),
            Float64Array.from(tests, (row) => Number(row.test_duration_ms)),
            4000,
            Float64Array.from(visiting.timesMs),
          ),
        )
      }
    }
})

test('an AOI inside another is missing, or the smallest comes first', async () => {
  // Left half, right half, and a spot in the left one that holds all that is looked at there.
  const inOrder = await ask(1, { itemId: ITEM_ID })
  expect([inOrder.hiddenAois, inOrder.transitions.counts[0][1]]).toEqual([[2], 2])
  const smallest = await ask(1, { itemId: ITEM_ID, nested: 'smallest' })
  expect([smallest.hiddenAois, smallest.transitions.counts[2][1]]).toEqual([[0], 2])
  // Visits and first fixations are of each AOI, whichever comes first.
  expect(smallest.visits).toEqual(inOrder.visits)
  expect(smallest.firstLooks).toEqual(inOrder.firstLooks)
  // Three tests are over after 667 ms.
  const { timesMs, tests } = inOrder.visiting
  expect([650, 700].map((t) => tests[timesMs.indexOf(t)])).toEqual([4, 1])
  const refused = await service.get(
    `/api2/studies/${service.studyIds[1]}/analysis/transitions?itemId=${ITEM_ID}&nested=largest&measure=x`,
  )
  const { errors } = (await refused.json()) as { errors: { parameter: string }[] }
  expect(errors.map(({ parameter }) => parameter).sort()).toEqual(['measure', 'nested'])
})
