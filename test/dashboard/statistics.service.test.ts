import { tableFromIPC } from 'apache-arrow'
import { parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { friedman } from '../../engine/analysis/statistics/friedman.ts'
import { holm } from '../../engine/analysis/statistics/holm.ts'
import { pairedRankBiserial, wilcoxonSignedRank } from '../../engine/analysis/statistics/wilcoxon.ts'
import type {
  Comparisons,
  DescribedParticipants,
  Loss,
  Mixed,
  Quality,
  Transitions,
  Within,
} from '../../server/schemas/analysis.ts'
import { csvRows } from '../engine/csv.ts'
import { kept } from '../engine/kept.ts'
import { openContract, send } from '../server/contract.ts'
import { openDashboardServer } from './dashboard-server.ts'
import { rowsOf as exportedRows, viewedRowsOf } from './rows.ts'

/**
 * Statistics as JSON, as the document says, and as tables; within participants recomputed from the CSV of the demo
 * study.
 */
const contract = openContract()
const service = kept(await openDashboardServer([{ participants: 12, items: 3, seconds: 4, hz: 30, seed: 3 }]))
const study = (await (await service.get(`/api2/studies/${service.studyIds[0]}`)).json()) as {
  items: { id: string }[]
  aois: { id: string; itemId: string; name: string }[]
}

const pathOf = (name: string, query: Record<string, string>) =>
  `/api2/studies/${service.studyIds[0]}/analysis/${name}?${new URLSearchParams(query)}`
const ask = (name: string, query: Record<string, string>) => service.get(pathOf(name, query))
const json = async <T>(name: string, query: Record<string, string>) => {
  const answer = await send(service.url, { path: pathOf(name, query), headers: { 'x-auth-token': service.read } })
  contract.check('GET', `/studies/{studyId}/analysis/${name}`, answer)
  expect([name, answer.status]).toEqual([name, 200])
  return JSON.parse(answer.body.toString()) as T
}
async function rowsOf(name: string, query: Record<string, string>): Promise<Record<string, string>[]> {
  return csvRows(await (await ask(name, { ...query, format: 'csv' })).text())
}

const GROUPS = { group1: "external_data_condition = 'free'", group2: "external_data_condition = 'search'" }
const MEASURE = 'aoi_fixation_average_total_time_spent_ms'
/** The first AOI of each item. */
const firstAois = () => study.items.map(({ id }) => study.aois.find(({ itemId }) => itemId === id)!)

test('AOIs are compared within the participants who saw all of them, as the CSV has their values', async () => {
  const aois = firstAois()
  const answer = await json<z.infer<typeof Within>>('within', {
    aois: aois.map(({ id }) => id).join(),
    measure: MEASURE,
  })
  const byAoi = await Promise.all(
    aois.map(async ({ id, itemId }) => {
      const rows = await viewedRowsOf(
        service,
        service.studyIds[0],
        `eye-tracking/aois-all/fixations-stats?itemId=${itemId}`,
      )
      const own = rows.filter((row) => row.aoi_id === id && row[MEASURE] !== '')
      return new Map(own.map((row) => [row.participant_id, Number(row[MEASURE])]))
    }),
  )
  const complete = [...byAoi[0].keys()].filter((who) => byAoi.every((values) => values.has(who)))
  const values = byAoi.map((own) => complete.map((who) => own.get(who)!))
  expect(complete.length).toBeGreaterThan(4)
  expect([answer.participantIds, answer.values]).toEqual([complete, values])
  expect(answer.friedman).toEqual(friedman(values))
  const pairs = [
    [0, 1],
    [0, 2],
    [1, 2],
  ]
  // With fewer than six participants who differ, the least p is 2 of 32.
  const differing = ([a, b]: number[]) => values[a].filter((value, i) => value !== values[b][i]).length
  const tests = pairs.map(([a, b]) => (differing([a, b]) < 6 ? null : wilcoxonSignedRank(values[a], values[b])))
  expect(tests.filter((each) => each !== null).length).toBeGreaterThan(0)
  const corrected = holm(tests.map((each) => each?.p ?? null))
  for (const [i, { first, second, n, test: own, pHolm, effect }] of answer.comparisons.entries()) {
    expect([first, second, n]).toEqual([...pairs[i], complete.length])
    expect([own, pHolm]).toEqual([tests[i], corrected[i]])
    expect(effect?.value).toBe(pairedRankBiserial(values[first], values[second]))
    expect(effect!.low).toBeLessThanOrEqual(effect!.high)
  }
  expect(answer.summaries.map(({ n, mean }) => [n, mean])).toEqual(
    values.map((own) => [own.length, own.reduce((sum, value) => sum + value, 0) / own.length]),
  )
  const two = await json<z.infer<typeof Within>>('within', { aois: [aois[1].id, aois[0].id].join() })
  expect([two.friedman, two.comparisons.length]).toEqual([null, 1])
})

test('AOIs are compared between groups in JSON and as a table in every format, with the same numbers', async () => {
  const aois = firstAois()
  const query = { ...GROUPS, aois: aois.map(({ id }) => id).join() }
  const answer = await json<z.infer<typeof Mixed>>('mixed', query)
  const within = await json<z.infer<typeof Within>>('within', { aois: query.aois })
  // Each participant is in one of the groups.
  expect(answer.groups.flatMap(({ participantIds }) => participantIds).sort()).toEqual(
    [...within.participantIds].sort(),
  )
  expect(answer.contrasts.map(({ effect }) => effect)).toEqual([
    'group',
    ...Array(3).fill('condition'),
    ...Array(3).fill('interaction'),
  ])
  const rows = await rowsOf('mixed', query)
  expect(rows.map(({ row }) => row)).toEqual([
    ...Array(6).fill('mean'),
    ...(answer.anova ?? []).map(() => 'anova'),
    ...Array(7).fill('difference'),
  ])
  const numbers = (cells: string[]) => cells.map((cell) => (cell === '' ? null : Number(cell)))
  const means = answer.groups.flatMap(({ cells }) => cells.map(({ mean }) => mean))
  expect(numbers(rows.map((row) => row.mean_1)).slice(0, 6)).toEqual(means)
  const differences = answer.contrasts.map(({ difference }) => difference?.value ?? null)
  expect(numbers(rows.map((row) => row.difference)).slice(-7)).toEqual(differences)
  const arrow = tableFromIPC(await (await ask('mixed', { ...query, format: 'arrow' })).bytes())
  expect([...arrow.getChild('difference')!].slice(-7)).toEqual(differences)
  const parquet = await (await ask('mixed', { ...query, format: 'parquet' })).arrayBuffer()
  expect((await parquetReadObjects({ file: parquet })).map((row) => row.difference).slice(-7)).toEqual(differences)
  const one = await ask('mixed', { aois: query.aois, group1: GROUPS.group1 })
  expect([one.status, ((await one.json()) as { errors: object[] }).errors]).toMatchObject([
    400,
    [{ parameter: 'group2' }],
  ])
})

test('the same numbers, with all their digits, are a table in every format', async () => {
  const aois = firstAois()
  const query = { aois: aois.map(({ id }) => id).join() }
  const { friedman: all, comparisons } = await json<z.infer<typeof Within>>('within', query)
  const expected = [all!.p, ...comparisons.map((each) => each.test?.p ?? null)]
  const rows = await rowsOf('within', query)
  expect(rows.map((row) => (row.p === '' ? null : Number(row.p)))).toEqual(expected)
  expect(rows.map((row) => row.test)).toEqual(['friedman', 'wilcoxon', 'wilcoxon', 'wilcoxon'])
  expect(rows[1].aoi_name_1).toBe(aois[0].name)
  expect(rows[0].notes).toMatch(/^Gazette v.*FixationFilterSettings/)
  expect(rows[0].aoi_id_1).toBe('')
  const arrow = tableFromIPC(await (await ask('within', { ...query, format: 'arrow' })).bytes())
  expect([...arrow.getChild('p')!]).toEqual(expected)
  const parquet = await ask('within', { ...query, format: 'parquet' })
  expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet')
  expect(parquet.headers.get('content-disposition')).toMatch(/^attachment; filename="study-.*-within\.parquet"$/)
  expect((await parquetReadObjects({ file: await parquet.arrayBuffer() })).map(({ p }) => p)).toEqual(expected)
  const lines = (await (await ask('within', { ...query, format: 'ndjson' })).text()).trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { p: number | null }).p)).toEqual(expected)
})

test('groups, transitions, visits and survival are tables, too', async () => {
  const item = { itemId: study.items[0].id }
  const compared = await json<z.infer<typeof Comparisons>>('comparisons', { ...item, ...GROUPS })
  const known = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value))
  const rows = await rowsOf('comparisons', { ...item, ...GROUPS })
  expect(rows.map((row) => [row.aoi_id, row.group_1, row.p === '' ? '' : String(Number(row.p))])).toEqual(
    compared.comparisons.map(({ aoi, test: own }) => [compared.aoiIds[aoi], GROUPS.group1, known(own?.p)]),
  )
  const course = await json<z.infer<typeof Transitions>>('transitions', item)
  const counts = (await rowsOf('transitions', item)).map((row) => Number(row.transition_count))
  expect(counts).toEqual(course.transitions.counts.flat())
  expect(await json('visits', item)).toEqual(course)
  const visits = await rowsOf('visits', item)
  expect(visits.map((row) => Number(row.visit_count))).toEqual(course.visits.map((own) => own.visits))
  const survival = await rowsOf('survival', item)
  expect(survival.map((row) => [row.aoi_id, Number(row.at_risk_count)])).toEqual(
    course.firstLooks.flatMap(({ steps }, a) => steps.map(({ atRisk }) => [course.aoiIds[a], atRisk])),
  )
  const accepted = await service.get(pathOf('survival', item), { accept: 'text/csv' })
  expect(await accepted.text()).toBe(await (await ask('survival', { ...item, format: 'csv' })).text())
})

/** Statistics like those of R: `mean`, `sd`, `quantile` of type 7. */
function described(values: number[]) {
  const sorted = [...values].sort((a, b) => a - b)
  const n = values.length
  const mean = n === 0 ? null : values.reduce((sum, value) => sum + value, 0) / n
  const at = (share: number) => {
    if (n === 0) return null
    const place = (n - 1) * share
    const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
    return below + (above - below) * (place - Math.floor(place))
  }
  const squares = values.reduce((sum, value) => sum + (value - mean!) ** 2, 0)
  const [min, q1, median, q3, max] = [0, 0.25, 0.5, 0.75, 1].map(at)
  return { n, mean, sd: n < 2 ? null : Math.sqrt(squares / (n - 1)), min, q1, median, q3, max }
}
const numbersOf = (cells: string[]) => cells.filter((cell) => cell !== '').map(Number)
function groupsBy<Row, Key>(rows: Row[], keyOf: (row: Row) => Key): [Key, Row[]][] {
  const keys = [...new Set(rows.map(keyOf))]
  return keys.map((key) => [key, rows.filter((row) => keyOf(row) === key)])
}
const meansBy = (cells: [at: string, value: number][]) =>
  groupsBy(cells, ([at]) => Number(at))
    .map(([at, own]) => ({ at, tests: own.length, mean: described(own.map(([, value]) => value)).mean }))
    .sort((one, other) => one.at - other.at)

test('the quality of tests is described as quality-stats has it, over tests, participants and the order of items', async () => {
  const filter = 'participant_age > 25'
  const answer = await json<z.infer<typeof Quality>>('quality', { filter })
  const rows = await exportedRows(
    service,
    service.studyIds[0],
    `eye-tracking/quality-stats?${new URLSearchParams({ filter })}`,
  )
  expect(rows.length).toBeGreaterThan(12)
  const columns = answer.measures.map(({ column }) => column)
  expect(columns.length).toBe(5)
  expect(answer.measures).toEqual(
    columns.map((column) => ({ column, ...described(numbersOf(rows.map((row) => row[column]))) })),
  )
  expect(answer.participants).toEqual(
    groupsBy(rows, (row) => row.participant_id).map(([participantId, own]) => ({
      participantId,
      tests: own.length,
      medians: columns.map((column) => described(numbersOf(own.map((row) => row[column]))).median),
    })),
  )
  expect(answer.lossByOrder).toEqual(
    meansBy(
      rows
        .filter((row) => row.data_loss_percents !== '')
        .map((row) => [row.test_item_display_order, Number(row.data_loss_percents)]),
    ),
  )
  expect(answer.tests.map(({ values }) => values)).toEqual(
    rows.map((row) => columns.map((column) => (row[column] === '' ? null : Number(row[column])))),
  )
  const table = await rowsOf('quality', { filter })
  expect(table.map(({ measure, median, sd }) => [measure, median, sd])).toEqual(
    answer.measures.map(({ column, median, sd }) => [column, `${median ?? ''}`, `${sd ?? ''}`]),
  )
})

test('loss over time is the mean over tests of the bins of gazes-aois-binned', async () => {
  const query = { itemId: study.items[1].id, binMs: '500' }
  const answer = await json<z.infer<typeof Loss>>('loss', query)
  const rows = await exportedRows(
    service,
    service.studyIds[0],
    `eye-tracking/gazes-aois-binned?${new URLSearchParams(query)}`,
  )
  const percents = rows.map((row): [string, number] => {
    const [seen, lost] = [Number(row.bin_gaze_count), Number(row.bin_trackloss_count)]
    return [row.bin_starts_at_ms, (100 * lost) / (lost + seen)]
  })
  expect(answer.bins.length).toBeGreaterThan(4)
  expect(answer.bins).toEqual(meansBy(percents))
  expect((await rowsOf('loss', query)).map((row) => Number(row.data_loss_mean_percents))).toEqual(
    answer.bins.map(({ mean }) => mean),
  )
  expect((await ask('loss', {})).status).toBe(400)
})

test('participants are described: all who took part, or those of whom a test is kept', async () => {
  const path = `/api2/studies/${service.studyIds[0]}/participants`
  type People = { participants: { age: number | null; displayGender: string; isCompleted: boolean }[] }
  for (const filter of ['', 'participant_age < 40']) {
    const { participants } = (await (await service.get(`${path}?${new URLSearchParams({ filter })}`)).json()) as People
    const of = (some: typeof participants) => ({
      participants: some.length,
      completed: some.filter(({ isCompleted }) => isCompleted).length,
      age: described(some.flatMap(({ age }) => age ?? [])),
    })
    const answer = await json<z.infer<typeof DescribedParticipants>>('participants', filter === '' ? {} : { filter })
    expect(answer).toEqual({
      notes: answer.notes,
      ...of(participants),
      genders: groupsBy(participants, ({ displayGender }) => displayGender).map(([displayGender, some]) => ({
        displayGender,
        ...of(some),
      })),
    })
    const table = await rowsOf('participants', filter === '' ? {} : { filter })
    expect(table.map((row) => row.of)).toEqual(['all', ...answer.genders.map(() => 'gender')])
    expect(table.map((row) => [row.display_gender, Number(row.participant_count), Number(row.age_mean)])).toEqual(
      [{ displayGender: '', ...of(participants) }, ...answer.genders].map(
        ({ displayGender, participants: n, age: { mean } }) => [displayGender, n, mean],
      ),
    )
  }
})

test('an invalid comparison is refused with all faults', async () => {
  const [aoi] = firstAois()
  const answer = await ask('within', { aois: aoi.id, measure: 'pupils', format: 'xls' })
  expect(answer.status).toBe(400)
  const { errors } = (await answer.json()) as { errors: { parameter: string }[] }
  expect(errors.map(({ parameter }) => parameter).sort()).toEqual(['aois', 'format', 'measure'])
  for (const aois of ['', `${aoi.id},${aoi.id}`, `${aoi.id},x`])
    expect([aois, (await ask('within', { aois })).status]).toEqual([aois, 400])
})

test('a comparison within participants may name the item of its AOIs, and no other', async () => {
  const own = study.aois.filter(({ itemId }) => itemId === study.aois[0].itemId).slice(0, 2)
  const aois = own.map(({ id }) => id).join()
  const other = study.items.find(({ id }) => id !== own[0].itemId)!
  expect((await ask('within', { aois, itemId: own[0].itemId })).status).toBe(200)
  const refused = await ask('within', { aois, itemId: other.id })
  expect([refused.status, ((await refused.json()) as { errors: object[] }).errors]).toMatchObject([
    400,
    [{ parameter: 'itemId', rule: 'must be left out, or be the item of all the AOIs' }],
  ])
})
