import { expect, test } from 'vitest'
import type { z } from 'zod'
import { quantile } from '../../engine/analysis/statistics/descriptive.ts'
import { holm } from '../../engine/analysis/statistics/holm.ts'
import { cliffsDelta, mannWhitney } from '../../engine/analysis/statistics/mann-whitney.ts'
import { permutationTest } from '../../engine/analysis/statistics/permutation.ts'
import { MEASURES } from '../../isomorphic/measures.ts'
import type { Comparisons } from '../../server/schemas/analysis.ts'
import { kept } from '../engine/kept.ts'
import { openDashboardServer } from './dashboard-server.ts'
import { viewedRowsOf } from './rows.ts'

/** Comparisons of groups, recomputed from the CSV of the demo study. */
const service = kept(await openDashboardServer([{ participants: 24, items: 2, seconds: 4, hz: 30, seed: 3 }]))
const { items } = (await (await service.get(`/api2/studies/${service.studyIds[0]}`)).json()) as {
  items: { id: string }[]
}

type Answer = z.infer<typeof Comparisons>

async function ask(query: Record<string, string>) {
  const answer = await service.get(
    `/api2/studies/${service.studyIds[0]}/analysis/comparisons?${new URLSearchParams({ itemId: items[1].id, ...query })}`,
  )
  return { status: answer.status, body: (await answer.json()) as Answer & { errors: { parameter: string }[] } }
}

const CONDITIONS = ["external_data_condition = 'free'", "external_data_condition = 'search'"]
const GROUPS = { group1: CONDITIONS[0], group2: CONDITIONS[1] }

/** Returns by AOI and group the values of participants, of the CSV. */
async function fromCsv(column: string, filter = ''): Promise<number[][][]> {
  const tables = await Promise.all(
    CONDITIONS.map((condition) =>
      viewedRowsOf(
        service,
        service.studyIds[0],
        `eye-tracking/aois-all/fixations-stats?${new URLSearchParams({
          itemId: items[1].id,
          filter: filter === '' ? condition : `(${filter}) AND ${condition}`,
        })}`,
      ),
    ),
  )
  const aoiIds = [...new Set(tables.flat().map((row) => row.aoi_id))]
  return aoiIds.map((id) =>
    tables.map((rows) =>
      rows.filter((row) => row.aoi_id === id && row[column] !== '').map((row) => Number(row[column])),
    ),
  )
}

/** Groups of three and three or four are too small: the least p of U is 2 of 20, or of 35. */
const mayReach = (a: number[], b: number[]) => Math.min(a.length, b.length) >= 3 && a.length + b.length >= 8

/** Those of words: test/engine/analysis/charts/reading.test.ts. */
const OF_AOIS = MEASURES.filter(({ export: name }) => name === 'aoi-fixations-stats')

test.each(OF_AOIS)('$column has the values, n, medians, U, p, Holm and δ of the CSV', async ({ column }) => {
  const { body } = await ask({ ...GROUPS, measure: column })
  const expected = await fromCsv(column)
  expect(expected.length).toBeGreaterThan(2)
  expect(body.values.map((groups) => groups.map(({ values }) => values))).toEqual(expected)
  const tests = expected.map(([a, b]) => (mayReach(a, b) ? mannWhitney(a, b) : null))
  const corrected = holm(tests.map((each) => each?.p ?? null))
  const known = (value: number) => (Number.isNaN(value) ? null : value)
  for (const [i, { aoi, first, second, n, medians, test: own, pHolm, effect }] of body.comparisons.entries()) {
    const [a, b] = expected[i]
    expect([aoi, first, second, n]).toEqual([i, 0, 1, [a.length, b.length]])
    expect(medians).toEqual([known(quantile(a, 0.5)), known(quantile(b, 0.5))])
    expect([own, pHolm]).toEqual([tests[i], corrected[i]])
    expect(effect?.value).toBe(a.length < 3 || b.length < 3 ? undefined : cliffsDelta(a, b))
  }
  expect(body.comparisons.length).toBe(expected.length)
})

test('the permutation test compares means, and a filter is true besides that of the group, with OR too', async () => {
  const filter = 'participant_age < 30 OR participant_age > 40'
  const { body } = await ask({ ...GROUPS, test: 'permutation', filter })
  const expected = await fromCsv(MEASURES[0].column, filter)
  expect(body.values.map((groups) => groups.map(({ values }) => values))).toEqual(expected)
  for (const [i, { test: own }] of body.comparisons.entries()) {
    const [a, b] = expected[i]
    expect(own).toEqual(mayReach(a, b) ? permutationTest(a, b, body.seed) : null)
  }
  expect(body.groups[0].notes).toContain(`filter = (${filter}) AND (${CONDITIONS[0]})`)
})

test('groups that share participants are not compared; a group without conditions is everybody', async () => {
  const { body } = await ask({ group1: '', group2: CONDITIONS[0] })
  expect(body.comparisons).toEqual([])
  expect(body.sharedParticipants).toBe(body.groups[1].counted.participants)
})

test('is refused with all faults at once', async () => {
  const { status, body } = await ask({ group1: 'participant_ag > 3', measure: 'x', test: 'anova', detector: 'none' })
  expect(status).toBe(400)
  expect(body.errors.map(({ parameter }) => parameter).sort()).toEqual([
    'detector',
    'group1',
    'group2',
    'measure',
    'test',
  ])
})
