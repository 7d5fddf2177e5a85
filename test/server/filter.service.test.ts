import { expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { ITEM, STUDY, shareTestServer } from './test-server.ts'

const service = kept(await shareTestServer())

type Fault = { parameter: string; rule: string; value: string; position?: number; nearest?: string }

const ask = (path: string, parameters: Record<string, string>) =>
  service.get(`/api2/studies/${STUDY}/${path}?${new URLSearchParams(parameters)}`)
const exportWith = (parameters: Record<string, string>) => ask('collected-data/eye-tracking/fixations', parameters)
const faultsOf = async (response: Response) => {
  expect(response.status).toBe(400)
  return ((await response.json()) as { errors: Fault[] }).errors
}

test('a filter is trimmed, named in the notes, and part of the tag', async () => {
  const all = await exportWith({})
  const some = await exportWith({ filter: "\n  participant_id <> 'x' " })
  expect(some.status).toBe(200)
  expect(await some.text()).toContain("; participantQualityGradeItemMin = 1; filter = participant_id <> 'x'")
  const same = await exportWith({ filter: "participant_id <> 'x'" })
  expect(same.headers.get('etag')).toBe(some.headers.get('etag'))
  expect(some.headers.get('etag')).not.toBe(all.headers.get('etag'))
  const none = await exportWith({ filter: ' \t' })
  expect(none.headers.get('etag')).toBe(all.headers.get('etag'))
  expect((await (await exportWith({ filter: 'FALSE' })).text()).split('\n')).toHaveLength(2)
})

test('its fault comes with all others, and says where', async () => {
  const unknown = '00000000-0000-4000-8000-000000000000'
  const faults = await faultsOf(
    await exportWith({ filter: ' particpant_age > 5', binMs: '1', itemId: unknown, nonsense: '' }),
  )
  expect(faults.map(({ parameter }) => parameter).sort()).toEqual(['binMs', 'filter', 'itemId', 'nonsense'])
  expect(faults.find(({ parameter }) => parameter === 'filter')).toEqual({
    parameter: 'filter',
    rule: 'must have a column of the study here; particpant_age is not one',
    value: 'particpant_age > 5',
    position: 1,
    nearest: 'participant_age',
  })
})

test('given twice, it is refused once', async () => {
  const response = await service.get(
    `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?filter=TRUE&filter=nonsense`,
  )
  expect(await faultsOf(response)).toEqual([
    { parameter: 'filter', rule: 'must be given once', value: 'TRUE,nonsense' },
  ])
})

test('charts and previews take it, and refuse the same', async () => {
  for (const path of [
    'charts/fixations',
    'charts/gaze',
    'charts/heatmap',
    'charts/aois',
    'charts/recording',
    'analysis/quality',
    'previews/fixations',
  ]) {
    const kept = async (filter: string) => {
      const response = await ask(path, { itemId: ITEM, filter })
      expect(response.status, path).toBe(200)
      return ((await response.json()) as { kept: { tests: number } }).kept.tests
    }
    expect(await kept('TRUE')).toBeGreaterThan(0)
    expect(await kept('NOT TRUE')).toBe(0)
    expect((await faultsOf(await ask(path, { itemId: ITEM, filter: 'TRUE; DROP TABLE tests' })))[0].position).toBe(5)
  }
})

test('a job says which filter it has; without one it says null', async () => {
  const parametersOf = async (parameters: Record<string, string>) => {
    const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?${new URLSearchParams(parameters)}`
    const response = await service.get(path, { Prefer: 'respond-async' })
    expect(response.status).toBe(202)
    return ((await response.json()) as { parameters: { filter: string | null } }).parameters
  }
  expect((await parametersOf({ filter: ' TRUE', binMs: '200' })).filter).toBe('TRUE')
  expect((await parametersOf({ minFixationDurationMs: '90' })).filter).toBeNull()
})
