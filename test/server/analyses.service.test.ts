import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { StudyAnalysis } from '../../engine/model/study-analysis.ts'
import { changeStudy } from '../../engine/study/change-study.ts'
import { removal } from '../../engine/study/changes/removal.ts'
import type { AnalysisList, StoredAnalysis } from '../../server/schemas/study-analysis.ts'
import { kept } from '../engine/kept.ts'
import { openContract } from './contract.ts'
import { ITEM, openTestServer, STUDY } from './test-server.ts'

const contract = openContract()
const service = kept(await openTestServer())

type Stored = z.infer<typeof StoredAnalysis>
type Faults = { errors: { parameter: string; rule: string; position?: number }[] }
const study = `/api2/studies/${STUDY}`
const [ANNA, BEN] = ['2a000000-0000-4000-8000-000000000001', '2a000000-0000-4000-8000-000000000002']

const change = (
  method: 'PUT' | 'DELETE',
  name: string,
  body?: unknown,
  headers: Record<string, string> = {},
  token = service.write,
) =>
  fetch(`${service.url}${study}/analyses/${name}`, {
    method,
    headers: { 'x-auth-token': token, 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
const ask = (path: string, parameters: Record<string, string>) =>
  service.get(`${study}/${path}?${new URLSearchParams(parameters)}`)
const FIXATIONS = 'collected-data/eye-tracking/fixations'

test('is stored, listed, replaced by who has read it, and deleted; no data changes', async () => {
  const before = await (await service.get(study)).text()
  const created = await change('PUT', 'mine', { title: 'Mine', ignored: [{ participantId: ANNA, reason: 'late' }] })
  expect(created.status).toBe(201)
  const first = (await created.json()) as Stored
  contract.checkValue('StoredAnalysis', first)
  expect(created.headers.get('etag')).toBe(`"${first.reference}"`)

  expect((await change('PUT', 'mine', {})).status).toBe(428)
  expect((await change('PUT', 'mine', {}, { 'if-match': '"mine@000000000000"' })).status).toBe(412)
  const replaced = await change('PUT', 'mine', { title: 'Other' }, { 'if-match': `"${first.reference}"` })
  expect(replaced.status).toBe(200)
  const second = (await replaced.json()) as Stored
  expect(await (await service.get(`${study}/analyses/mine`)).json()).toEqual(second)
  expect(((await (await service.get(`${study}/analyses/${first.reference}`)).json()) as Stored).analysis).toEqual(
    first.analysis,
  )
  const list = (await (await service.get(`${study}/analyses`)).json()) as z.infer<typeof AnalysisList>
  contract.checkValue('AnalysisList', list)
  expect(list.analyses.map(({ reference }) => reference)).toEqual([second.reference])
  expect(await (await service.get(study)).text()).toBe(before)

  expect((await change('PUT', 'mine', {}, { 'if-match': '*' }, service.read)).status).toBe(403)
  expect((await change('DELETE', 'mine', undefined, {}, service.read)).status).toBe(403)
  expect((await change('DELETE', 'mine')).status).toBe(204)
  expect((await service.get(`${study}/analyses/mine`)).status).toBe(404)
  expect((await service.get(`${study}/analyses/${first.reference}`)).status).toBe(404)
})

test('of two that are stored at once without If-Match, one is refused', async () => {
  const answers = await Promise.all(['a', 'b', 'c'].map((title) => change('PUT', 'raced', { title })))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 428, 428])
})

test('is refused with every fault of its body, and for what its study does not have', async () => {
  const faultsOf = async (body: unknown) => {
    const response = await change('PUT', 'wrong', body)
    expect(response.status).toBe(400)
    return ((await response.json()) as Faults).errors.map(({ parameter }) => parameter)
  }
  expect(await faultsOf({ settings: { movingMedianRangeMs: 1, itemId: ITEM }, colour: 'red' })).toEqual([
    'settings.movingMedianRangeMs',
    'settings.itemId',
    'colour',
  ])
  const unknown = '00000000-0000-4000-8000-000000000000'
  const twice = [ANNA, ANNA, unknown].map((participantId) => ({ participantId, reason: '' }))
  expect(await faultsOf({ filter: 'nonsense > 1', ignored: twice })).toEqual([
    'filter',
    'ignored.1.participantId',
    'ignored.2.participantId',
  ])
  expect((await change('PUT', 'Wrong.Name', {})).status).toBe(400)
})

test('stands for what it holds in exports, charts, previews, packages and methods', async () => {
  const decided: StudyAnalysis = {
    settings: { gazeVelocityThreshold: 100 },
    filter: `participant_id <> '${ANNA}'`,
  }
  const { reference } = (await (await change('PUT', 'used', decided)).json()) as Stored
  const spelled = await (await ask(FIXATIONS, { gazeVelocityThreshold: '100', filter: decided.filter! })).text()
  const named = await ask(FIXATIONS, { analysis: 'used' })
  expect(named.status).toBe(200)
  expect((await named.text()).replace(`analysis = ${reference} (0 participants ignored); `, '')).toBe(spelled)
  // What a request gives wins for settings, and is true beside the filter.
  const own = await (await ask(FIXATIONS, { analysis: 'used', gazeVelocityThreshold: '150', filter: 'TRUE' })).text()
  expect(own).toContain('gazeVelocityThreshold = 150')
  expect(own).toContain(`filter = (TRUE) AND (participant_id <> '${ANNA}')`)
  // A new version has another tag, and the earlier one stays what it was.
  await change('PUT', 'used', { ignored: [{ participantId: BEN, reason: 'late' }] }, { 'if-match': `"${reference}"` })
  const later = await ask(FIXATIONS, { analysis: 'used' })
  expect(later.headers.get('etag')).not.toBe(named.headers.get('etag'))
  expect(await later.text()).toContain('(1 participant ignored)')
  expect((await ask(FIXATIONS, { analysis: reference })).headers.get('etag')).toBe(named.headers.get('etag'))

  for (const path of ['charts/fixations', 'charts/heatmap', 'charts/aois', 'previews/fixations']) {
    const answer = (await (await ask(path, { itemId: ITEM, analysis: 'used' })).json()) as {
      kept: { participants: number; participantsTotal: number }
      notes: string
    }
    expect([path, answer.kept.participants, answer.kept.participantsTotal]).toEqual([path, 1, 2])
    expect(answer.notes).toContain('analysis = used@')
  }
  const queued = await service.get(`${study}/${FIXATIONS}?analysis=${reference}&filter=TRUE`, {
    prefer: 'respond-async',
  })
  const { id, parameters } = (await queued.json()) as { id: string; parameters: Record<string, unknown> }
  expect(parameters).toMatchObject({ analysis: reference, filter: 'TRUE', gazeVelocityThreshold: 100 })
  // Requested again as the job says, it is the same job.
  const again = Object.entries(parameters).filter(([name, value]) => value !== null && name !== 'ignored')
  const same = await service.get(
    `${study}/${FIXATIONS}?${new URLSearchParams(again.map(([name, value]) => [name, String(value)]))}`,
    {
      prefer: 'respond-async',
    },
  )
  expect(((await same.json()) as { id: string }).id).toBe(id)
  const methods = await (await ask('methods', { analysis: 'used', format: 'text' })).text()
  expect(methods).toMatch(/Leaving out 1 participant, as the analysis used@[0-9a-f]{12} says, left 1 test of 1 part/)
  const people = (await (await ask('participants', { analysis: 'used' })).json()) as { total: number }
  expect(people.total).toBe(1)
})

test('its window of time limits charts and measures of AOIs, unless the request gives another', async () => {
  await change('PUT', 'early', { toMs: 400 })
  const startsOf = async (parameters: Record<string, string>) => {
    const answer = await (await ask('charts/fixations', { itemId: ITEM, ...parameters })).json()
    const { tests } = answer as { tests: { fixations: number[][] }[] }
    return tests.flatMap(({ fixations }) => fixations.map((row) => row[2])).sort((a, b) => a - b)
  }
  const all = await startsOf({})
  expect(all.some((ms) => ms < 400) && all.some((ms) => ms >= 400)).toBe(true)
  expect(await startsOf({ analysis: 'early' })).toEqual(all.filter((ms) => ms < 400))
  expect(await startsOf({ analysis: 'early', toMs: '700', fromMs: '1' })).toEqual(
    all.filter((ms) => ms >= 1 && ms < 700),
  )
  const split = (await (await ask('collected-data/eye-tracking/gazes/raw-denoises-normalized-split', {})).text()).split(
    '\n',
  )
  const [time, interpolated] = ['gaze_timestamp_ms', 'is_interpolated'].map((name) => split[0].split(',').indexOf(name))
  const points = split
    .slice(1, -1)
    .map((line) => line.split(','))
    .filter((cells) => Number(cells[time]) < 400 && (interpolated < 0 || cells[interpolated] === 'false'))
  const heat = (await (await ask('charts/heatmap', { itemId: ITEM, analysis: 'early' })).json()) as { count: number }
  expect(heat.count).toBe(points.length)
  const crossed = (await (
    await ask('charts/heatmap', { itemId: ITEM, analysis: 'early', fromMs: '400' })
  ).json()) as Faults
  expect(crossed.errors).toMatchObject([{ parameter: 'fromMs', rule: 'must be less than toMs, which is 400' }])
})

test('of which there is none is refused with all other faults, each where it was written', async () => {
  const faultsOf = async (parameters: Record<string, string>) =>
    ((await (await ask(FIXATIONS, parameters)).json()) as Faults).errors
  const none = await faultsOf({ analysis: 'none', binMs: '1' })
  expect(none.map(({ parameter }) => parameter).sort()).toEqual(['analysis', 'binMs'])
  await change('PUT', 'long', { filter: `participant_id <> '${'x'.repeat(1900)}'` })
  expect((await ask(FIXATIONS, { analysis: 'long', filter: `participant_id <> '${'y'.repeat(1900)}'` })).status).toBe(
    200,
  )
  expect(await faultsOf({ analysis: 'long', filter: 'TRUE AND' })).toMatchObject([{ parameter: 'filter', position: 9 }])
})

test('forgets a participant who is removed', async () => {
  const ignored = [ANNA, BEN].map((participantId) => ({ participantId, reason: 'late' }))
  const { reference } = (await (await change('PUT', 'people', { ignored })).json()) as Stored
  const changing = { dataDir: service.dataDir, studyId: STUDY, threads: 1, memoryMib: 128 }
  await changeStudy(changing, null, removal(BEN))
  const now = (await (await service.get(`${study}/analyses/people`)).json()) as Stored
  expect(now.analysis.ignored).toEqual([{ participantId: ANNA, reason: 'late' }])
  expect((await service.get(`${study}/analyses/${reference}`)).status).toBe(404)
})

test('offsets move the gaze of exports and charts, appear in notes, and are suggested', async () => {
  const offsets = [{ participantId: ANNA, dxPx: 50, dyPx: -20, source: 'hand' }] as const
  const put = await change('PUT', 'drift', { offsets })
  expect(put.status).toBe(201)
  const { reference, analysis } = (await put.json()) as Stored
  expect(analysis).toEqual({ offsets })
  const plain = await ask(FIXATIONS, {})
  const moved = await ask(FIXATIONS, { analysis: 'drift' })
  expect(moved.headers.get('etag')).not.toBe(plain.headers.get('etag'))
  const [before, after] = [await plain.text(), await moved.text()]
  expect(after).toContain(`analysis = ${reference} (0 participants ignored); gazeOffsets = 1 participant`)
  expect(after.replace(/; analysis = .*?gazeOffsets = 1 participant/, '')).not.toBe(before)
  const suggested = await ask('analysis/offsets', { analysis: 'drift' })
  expect(suggested.status).toBe(200)
  contract.checkValue('Offsets', await suggested.json())
  const table = await (await ask('analysis/offsets', { format: 'csv' })).text()
  expect(table).toMatch(/^participant_id,test_id,source,place_count,dx_px,dy_px,/)
  const wrong = await change('PUT', 'wrong', { offsets: [{ ...offsets[0], testId: ITEM, dxPx: 6000 }] })
  expect(((await wrong.json()) as Faults).errors.map(({ parameter }) => parameter)).toEqual(['offsets.0.dxPx'])
  expect((await change('DELETE', 'drift')).status).toBe(204)
})

test('tags of AOIs are stored, measured and described over items', async () => {
  const details = (await (await service.get(study)).json()) as { snapshot: string; aois: { itemId: string }[] }
  const aois = details.aois.filter(({ itemId }) => itemId === ITEM).map((aoi) => ({ ...aoi, tags: ['logo'] }))
  const put = await fetch(`${service.url}${study}/items/${ITEM}/aois`, {
    method: 'PUT',
    headers: {
      'x-auth-token': service.write,
      'content-type': 'application/json',
      'if-match': `"${details.snapshot}"`,
    },
    body: JSON.stringify(aois),
  })
  expect(put.status).toBe(200)
  const found = (await (await service.get(study)).json()) as { aois: { itemId: string; tags?: string[] }[] }
  expect(found.aois.filter(({ itemId }) => itemId === ITEM).map(({ tags }) => tags)).toEqual(aois.map(() => ['logo']))
  const table = await (await ask('collected-data/eye-tracking/aois-all/tags-stats', {})).text()
  expect(table.split('\n')[1]).toContain(',logo,')
  const described = (await (await ask('analysis/tags', {})).json()) as { tags: { tag: string; aoiCount: number }[] }
  contract.checkValue('Tags', described)
  expect(described.tags).toMatchObject([{ tag: 'logo', aoiCount: aois.length }])
})
