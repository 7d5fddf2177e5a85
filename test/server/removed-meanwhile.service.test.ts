import { expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { participantOf } from './participants.ts'
import { openTestServer, STUDY } from './test-server.ts'

const service = kept(await openTestServer())

const HEADERS = { 'content-type': 'application/json' }

async function change(method: string, path: string, body?: object): Promise<number> {
  const response = await fetch(`${service.url}/api2/studies/${STUDY}${path}`, {
    method,
    headers: { ...HEADERS, 'x-auth-token': service.write },
    ...(body && { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.status
}

/** Adds a participant, and removes them once the next computation has begun, so often. */
async function removeWhileComputing(times: number): Promise<void> {
  const { studies, pool } = service.parts
  const { study } = (await studies.current(STUDY))!
  const compute = pool.compute
  let left = times
  pool.compute = async (...task) => {
    if (left-- > 0) {
      const own = participantOf(left, [study.items[0].id])
      expect(await change('POST', '/participants', own)).toBe(201)
      expect(await change('DELETE', `/participants/${own.participant.participant_id}`)).toBe(204)
    } else pool.compute = compute
    return compute(...task)
  }
}

test('an export whose snapshot is removed while it is computed is made of the study as it is then', async () => {
  const path = `/api2/studies/${STUDY}/collected-data/eye-tracking/fixations`
  await removeWhileComputing(1)
  const answer = await service.get(path)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-snapshot')).toBe(await service.parts.studies.currentId(STUDY))
  expect(await answer.text()).toBe(await (await service.get(path)).text())
})

test('an export whose snapshot is removed each time it is computed may be asked for again later', async () => {
  await removeWhileComputing(100)
  const answer = await service.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/saccades`)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).not.toBeNull()
  expect((await answer.json()).type).toBe('/docs/problems/busy')
})
