import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, test } from 'vitest'
import { pageAt } from '../../dashboard/core/page-at.ts'
import { PAGES } from '../../isomorphic/pages.ts'
import { dashboardRoutes } from '../../server/http/dashboard-files.ts'

const filled = (address: string) => address.replaceAll(/:\w+/g, 'an-id')

test('every address of the dashboard is that of one page, with the names in it', () => {
  expect(PAGES.map((address) => pageAt(filled(address))?.address)).toEqual([...PAGES])
  expect(pageAt('/studies/s/items/i/pupils')?.params).toEqual({ studyId: 's', itemId: 'i', page: '' })
  expect(['/studies', '/studies/s/export/more', '/help/a/b', '/jobs/1'].map((path) => pageAt(path))).toEqual([
    null,
    null,
    null,
    null,
  ])
})

test('every address of the dashboard answers 200 when it is reloaded, and no other does', async () => {
  const server = express().use(dashboardRoutes()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const statusOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html' } })).status
  const answered = await Promise.all(PAGES.map(async (address) => [address, await statusOf(filled(address))]))
  expect(answered).toEqual(PAGES.map((address) => [address, 200]))
  expect(await statusOf('/studies/s/export/more')).toBe(404)
  server.close()
})
