import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openAuditLog } from '../../engine/access/audit-log.ts'
import { openLiveStudies } from '../../engine/live/live-studies.ts'
import { PAGES } from '../../isomorphic/pages.ts'
import { createApp } from '../../server/app.ts'
import { PATH_PARAMETERS } from '../../server/routes/parameters.ts'
import type { Route } from '../../server/routes/route.ts'
import { ROUTES } from '../../server/routes/table.ts'
import { kept } from '../engine/kept.ts'
import { readSources } from '../rooms/read-sources.ts'
import { openContract, send } from './contract.ts'
import { ITEM, STUDY, shareTestServer } from './test-server.ts'

const routes = Object.values(ROUTES)
const paths = [...new Set(routes.map(({ path }) => path))]
const methodsOf = (path: string) => routes.filter((route) => route.path === path).map(({ method }) => method)
const service = kept(await shareTestServer({ REQUESTS_PER_MINUTE: '100000', TRUST_PROXY: '1' }))

type Layer = { route?: { path: string; methods: Record<string, boolean> }; handle: { stack?: Layer[] } }

/** Lists what Express would answer, as `method path`; routes that answer every method are left out. */
function answered(layers: Layer[]): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (route === undefined) return answered(handle.stack ?? [])
    return Object.keys(route.methods)
      .filter((method) => method !== '_all')
      .map((method) => `${method} ${route.path}`)
  })
}

test('Express answers the routes of the table, a few pages, and nothing else', () => {
  const live = openLiveStudies({ dataDir: service.dataDir, jobs: service.parts.jobs, memoryMib: 64 })
  const audit = openAuditLog(service.dataDir, () => {})
  const app = createApp(service.parts, audit, live, new AbortController().signal)
  const all = answered((app.router as unknown as { stack: Layer[] }).stack)
  const ours = routes.map(({ method, path }) => `${method} ${path}`)
  expect(new Set(ours).size).toBe(ours.length)
  const pages = ['/healthz', '/readyz', '/', '/:slug', '/', '/:name', ...PAGES, '/assets/:name']
  const others = all.filter((each) => /^get \/(docs|ops)(\/|$)/.test(each))
  expect(all.sort()).toEqual([...ours, ...others, ...pages.map((path) => `get ${path}`)].sort())
})

test('only one function adds paths to Express', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const adding = /\.route\(|\b(router|app|api|open)\.((all|head|post|put|patch|delete|options)\(|get\(['"`]\/)/
  const files = readSources(root, ['server']).map(({ path }) => path)
  const found = files.filter((path) => adding.test(readFileSync(join(root, path), 'utf8')))
  expect(found).toEqual(['server/http/add-path.ts'])
})

/** Fills the names of a path in, as those of things that are there, where others are not found first. */
function fill(path: string): string {
  const things: Record<string, string> = { studyId: STUDY, itemId: ITEM, exportName: 'mouse' }
  return `/api2${path.replace(/:(\w+)/g, (_all, name: string) => things[name] ?? '0'.repeat(16))}`
}

/** Sends a request from an address of its own, or failing ones would wait for each other. */
let addresses = 0
const ask = (method: string, path: string, token: string | null) => {
  addresses++
  const headers = {
    'x-forwarded-for': `10.1.${addresses >> 8}.${addresses & 255}`,
    'x-forwarded-proto': 'https',
    ...(token === null ? {} : { 'x-auth-token': token }),
  }
  return send(service.url, { method: method.toUpperCase(), path: fill(path), headers })
}

const ORDER = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete']

test('each path refuses the methods that the table has not, and says which it has', async () => {
  for (const path of paths) {
    const own = methodsOf(path)
    const allowed = ORDER.filter(
      (method) => own.includes(method as never) || (method === 'head' && own.includes('get')),
    )
    for (const method of ORDER.filter((each) => !allowed.includes(each))) {
      // Preflights of pages that may send participants.
      if (method === 'options' && routes.some((route) => route.path === path && route.isForOtherSites)) continue
      const { status, headers } = await ask(method, path, service.ops)
      expect([method, path, status, headers.allow]).toEqual([method, path, 405, allowed.join(', ').toUpperCase()])
    }
  }
})

test('each route refuses those without a token, and tokens of a lesser role', async () => {
  for (const { method, path, role, needsAllStudies } of routes) {
    if (role === 'anyone' || role === 'self') continue
    expect([method, path, (await ask(method, path, null)).status]).toEqual([method, path, 401])
    const isMore = role !== 'read' || needsAllStudies !== undefined
    if (!isMore) continue
    const { status } = await ask(method, path, service.read)
    // Routes of operators do not exist for others.
    expect([method, path, status]).toEqual([method, path, role === 'ops' ? 404 : 403])
  }
})

test('a token for sending participants does nothing else', async () => {
  const { tokens } = service.parts
  const made = { role: 'collect', studies: [STUDY], expiresAt: null, now: new Date() } as const
  const { token } = await tokens.create({ ...made, studies: [STUDY] })
  for (const { method, path, role, isRoleFirst } of routes) {
    if (!path.includes(':studyId') || role === 'collect') continue
    expect([method, path, (await ask(method, path, token)).status]).toEqual([method, path, isRoleFirst ? 403 : 404])
  }
})

test('an unknown or undecodable path is reported only to clients with a token', async () => {
  const basic = `Basic ${Buffer.from(`excel:${service.read}`).toString('base64')}`
  const at = async (path: string, headers: Record<string, string>) => {
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': `10.2.0.${addresses++ & 255}` }
    return (await send(service.url, { path: `/api2/${path}`, headers: { ...https, ...headers } })).status
  }
  const token = { 'x-auth-token': service.read }
  for (const path of ['none', `studies/${STUDY}/collected-data/eye-tracking/fixation`, `studies/${STUDY}/charts/none`])
    expect([path, await at(path, {}), await at(path, token)]).toEqual([path, 401, 404])
  // Who mistypes the path of a table in Excel is not asked for a password again.
  expect(await at(`studies/${STUDY}/collected-data/none`, { authorization: basic })).toBe(404)
  expect([await at('studies/%zz/flow', {}), await at('studies/%zz/flow', token)]).toEqual([401, 400])
  expect(await at('exports/%zz/schema', {})).toBe(400)
})

/** Requests of the dashboard to its own server, which change with it, and the first request of tus. */
const OF_DASHBOARD = [
  'askUpload',
  'askUploads',
  'beginSession',
  'drawAois',
  'drawFixations',
  'drawGaze',
  'drawHeatmap',
  'drawNewAois',
  'drawPupils',
  'drawRecording',
  'endSession',
  'getSession',
  'getShown',
  'importDemo',
  'listParticipants',
  'previewExport',
]

test('what the document describes is what the table has a summary for', () => {
  const named = Object.entries(ROUTES).filter(([, { summary }]) => summary !== undefined)
  const operations = openContract().operations.map(({ method, path }) => `${method} ${path}`)
  const described = ([, { method, path }]: [string, Route]) =>
    `${method.toUpperCase()} ${path.replace(/:(\w+)/g, (_all, name: string) => `{${PATH_PARAMETERS[name].name}}`)}`
  expect(operations.sort()).toEqual(named.map(described).sort())
  const others = Object.keys(ROUTES).filter((name) => ROUTES[name].summary === undefined)
  expect(others.sort()).toEqual(OF_DASHBOARD)
})
