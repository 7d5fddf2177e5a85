import { expect, test } from 'vitest'
import type { JobView } from '../../server/schemas/job.ts'
import { kept } from '../engine/kept.ts'
import { OTHER_STUDY, openTestServer } from './test-server.ts'

const calls: string[] = []
/**
 * Reading studies and jobs, asking the queue, and computing take time. The test shows by calls, not by a clock, that a
 * request of a token for something that it may not read costs the same as one for something that does not exist.
 */
const service = kept(await openTestServer({ HOLD_SECONDS: '0' }))
const { studies, jobs, queue, pool } = service.parts
for (const [what, part] of Object.entries({ store: studies, jobs, queue, pool }) as [
  string,
  Record<string, unknown>,
][]) {
  for (const [name, member] of Object.entries(part)) {
    if (typeof member !== 'function') continue
    const real = member as (...args: unknown[]) => unknown
    part[name] = (...args: unknown[]) => {
      calls.push(`${what}.${name}`)
      return real(...args)
    }
  }
}

/** Calls of the server for a request of the token that may not read OTHER_STUDY. */
async function workFor(path: string, headers: Record<string, string> = {}, method = 'GET', token = service.narrow) {
  calls.length = 0
  const response = await service.get(path, { 'x-auth-token': token, ...headers }, method)
  await response.arrayBuffer()
  expect(response.status).toBe(404)
  return [...calls]
}

const HEADERS: Record<string, string>[] = [{}, { prefer: 'respond-async' }, { prefer: 'wait=5' }]
const NOWHERE = '0f000000-0000-4000-8000-00000000000f'
const hidden = `/api2/studies/${OTHER_STUDY}/collected-data/eye-tracking/fixations`

test('the same is done for a study that the token may not read as for none: nothing', async () => {
  calls.length = 0
  expect((await service.get(hidden, { prefer: 'respond-async' })).status).toBe(202)
  // So the calls are seen.
  expect(calls).toContain('store.current')
  for (const path of [hidden, `${hidden}?gazeVelocityThreshold=0`, `/api2/studies/${OTHER_STUDY}`]) {
    for (const headers of HEADERS) {
      expect(await workFor(path, headers)).toEqual([])
      expect(await workFor(path.replace(OTHER_STUDY, NOWHERE), headers)).toEqual([])
    }
  }
})

test('the same is done for a job that the token may not see as for none: one look on the disk', async () => {
  const { id } = (await (await service.get(hidden, { prefer: 'respond-async' })).json()) as JobView
  const unknown = `x${'1'.repeat(64)}`
  for (const suffix of ['', '/events', '/file']) {
    expect(await workFor(`/api2/jobs/${id}${suffix}`)).toEqual(['jobs.find'])
    expect(await workFor(`/api2/jobs/${unknown}${suffix}`)).toEqual(['jobs.find'])
  }
  expect(await workFor(`/api2/jobs/${id}`, {}, 'DELETE')).toEqual(['jobs.find'])
  expect(await workFor(`/api2/jobs/${unknown}`, {}, 'DELETE')).toEqual(['jobs.find'])
})

test('the same is done for a study outside of the projects of a token as for none, and for its jobs', async () => {
  const made = await service.parts.tokens.create({
    role: 'read',
    studies: ['project:Pilots'],
    expiresAt: null,
    now: new Date(),
  })
  const { id } = (await (await service.get(hidden, { prefer: 'respond-async' })).json()) as JobView
  const workOf = (path: string, method?: string) => workFor(path, {}, method, made.token)
  const pairs = [
    [hidden, hidden.replace(OTHER_STUDY, NOWHERE)],
    [`/api2/studies/${OTHER_STUDY}`, `/api2/studies/${NOWHERE}`],
    ...['', '/events', '/file'].map((end) => [`/api2/jobs/${id}${end}`, `/api2/jobs/x${'1'.repeat(64)}${end}`]),
  ]
  // Once, so that both are compared with a warm catalogue.
  expect(await workOf(hidden)).toContain('store.currents')
  for (const [there, nowhere] of pairs) {
    const calls = await workOf(there)
    expect(calls).toEqual(await workOf(nowhere))
    expect(calls).not.toContain('store.current')
    expect(calls).not.toContain('store.load')
  }
  expect(await workOf(pairs[2][0], 'DELETE')).toEqual(await workOf(pairs[2][1], 'DELETE'))
})
