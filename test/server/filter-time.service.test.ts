import { expect, test } from 'vitest'
import { kept } from '../engine/kept.ts'
import { openTestServer, STUDY } from './test-server.ts'

const service = kept(await openTestServer())

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
