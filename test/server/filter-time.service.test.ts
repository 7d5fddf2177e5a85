import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestServer, STUDY, type TestServer } from './test-server.ts'

let service: TestServer
beforeAll(async () => {
  service = await openTestServer()
})
afterAll(() => service.close())

test('many filters for which LIKE would try every place of every % are answered', { timeout: 120_000 }, async () => {
  const filters = Array.from({ length: 32 }, (_, i) => `participant_id LIKE '${'%_'.repeat(27 - (i % 9))}${i}x'`)
  const asked = filters.map((filter) =>
    service.get(`/api2/studies/${STUDY}/collected-data/eye-tracking/fixations?${new URLSearchParams({ filter })}`),
  )
  for (const response of await Promise.all(asked)) {
    expect([200, 503]).toContain(response.status)
    await response.arrayBuffer()
  }
  expect((await service.get('/healthz')).status).toBe(200)
})
