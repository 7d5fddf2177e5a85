import { pick, type Random, randomUuid, wholeBetween } from '../../demo/random.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { openApiDocument } from '../../server/openapi/document.ts'
import { operationsOf, send } from '../server/contract.ts'
import { ITEM, openTestServer, publishStudy } from '../server/test-server.ts'
import { claim, type Fuzzer, type Round } from './fuzzer.ts'

const SHOWN = '0c000000-0000-4000-8000-000000000003'
const HIDDEN = '0d000000-0000-4000-8000-000000000004'
/** In each text of what no link shows. */
const SECRET = 'hidden-'
const PERSON = '2a000000-0000-4000-8000-000000000001'
const OTHER_PERSON = '2a000000-0000-4000-8000-000000000002'
const OF_ONE = `filter=participant_id+%3D+%27${PERSON}%27`
const LINKS = [
  { path: `/studies/${SHOWN}/items/${ITEM}?${OF_ONE}` },
  { path: `/studies/${SHOWN}/items/${ITEM}/replay?${OF_ONE}` },
  { path: `/studies/${SHOWN}/items/${ITEM}?${OF_ONE}`, hasDownloads: true },
  { path: `/studies/${SHOWN}/quality?${OF_ONE}`, hasDownloads: true },
  { path: `/studies/${SHOWN}/report?item=${ITEM}&${OF_ONE}` },
]

/**
 * Requests of whoever has a link: no answer holds anything of another study, or of another participant than the link is
 * of.
 */
export const SHARED_LINKS: Fuzzer = {
  name: 'share links',
  open: async () => {
    const settings = { HOLD_SECONDS: '0', REQUESTS_PER_MINUTE: '100000000', OPEN_JOBS_PER_TOKEN: '1000' }
    const service = await openTestServer(settings, { hasWorker: true })
    await publishStudy(service.dataDir, SHOWN, 'Shown', ['shown-1', `${SECRET}2`])
    await publishStudy(service.dataDir, HIDDEN, `${SECRET}study`, [`${SECRET}3`, `${SECRET}4`])
    const jobs: string[] = []
    for (const study of [SHOWN, HIDDEN])
      for (const query of ['', `?itemId=${ITEM}`]) {
        const path = `/api2/studies/${study}/collected-data/eye-tracking/fixations${query}`
        const { id } = (await (await service.get(path, { prefer: 'respond-async' })).json()) as { id: string }
        jobs.push(id)
      }
    const cookies = await Promise.all(LINKS.map((link) => cookieOf(service, link)))
    const paths = operationsOf(openApiDocument() as Parameters<typeof operationsOf>[0]).map(({ path }) => path)
    const round: Round = async (random, tell) => {
      const cookie = pick(random, cookies)
      const asked = requestOf(random, paths, jobs)
      tell(JSON.stringify(asked))
      const answer = await send(service.url, { ...asked, headers: { ...asked.headers, cookie } })
      claim(answer.status < 500, `${answer.status}: ${answer.body.toString().slice(0, 600)}`)
      const told = answer.body.toString('latin1') + JSON.stringify(answer.headers)
      const at = told.indexOf(SECRET)
      claim(at < 0, `${answer.status}, and it tells ${JSON.stringify(told.slice(Math.max(0, at - 200), at + 60))}`)
    }
    return { round, close: service.close }
  },
}

async function cookieOf(service: Awaited<ReturnType<typeof openTestServer>>, link: object): Promise<string> {
  const made = await fetch(`${service.url}/api2/studies/${SHOWN}/links`, {
    method: 'POST',
    headers: { 'x-auth-token': service.write, 'content-type': 'application/json' },
    body: JSON.stringify(link),
  })
  const text = await made.text()
  claim(made.ok, `${made.status} for making a link to ${JSON.stringify(link)}: ${text.slice(0, 500)}`)
  const { url } = JSON.parse(text) as { url: string }
  const opened = await service.get('/api2/session', { 'x-auth-token': url.split('#link=')[1] }, 'POST')
  claim(opened.status === 201, `${opened.status} for a link to ${JSON.stringify(link)}`)
  return (opened.headers.get('set-cookie') ?? '').split(';')[0]
}

/**
 * Returns a request by the API's own paths, its ids and parameters those of what is shown, or hidden, and written in
 * other ways.
 */
function requestOf(random: Random, paths: string[], jobs: string[]) {
  const study = pick(random, [SHOWN, SHOWN, HIDDEN])
  const ids: Record<string, () => string> = {
    studyId: () => spelt(random, study),
    itemId: () => spelt(random, ITEM),
    participantId: () => spelt(random, pick(random, [PERSON, OTHER_PERSON])),
    jobId: () => pick(random, jobs),
    export: () => pick(random, EXPORTS).path,
  }
  const template = pick(random, [...paths, ...OWN_PATHS])
  let path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]?.() ?? randomUuid(random))
  const detours = [`/../${HIDDEN}`, '/.', '//', `/%2e%2e/${HIDDEN}`, `%2f..%2f${HIDDEN}`, ';x', '%00', '/']
  if (wholeBetween(random, 0, 4) === 0) {
    const at = wholeBetween(random, 0, path.length)
    path = path.slice(0, at) + pick(random, detours) + path.slice(at)
  }
  const query = Array.from({ length: wholeBetween(random, 0, 5) }, () => pick(random, QUERY)).join('&')
  const headers: Record<string, string> = {}
  for (let n = wholeBetween(random, 0, 2); n > 0; n--) {
    const [name, value] = pick(random, HEADERS)
    headers[name] = value
  }
  const method = pick(random, ['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'PATCH', 'DELETE'])
  return { method, path: `/api2${path}?${query}`, headers }
}

function spelt(random: Random, id: string): string {
  const ways = [id, id, id, id.toUpperCase(), id.replace('-', '%2D'), `${id}%20`, id.replaceAll('-', '')]
  return pick(random, ways)
}

/** Requests of pages besides the documented paths. */
const OWN_PATHS = [
  ...['fixations', 'gaze', 'heatmap', 'aois', 'recording'].map((name) => `/studies/{studyId}/charts/${name}`),
  ...['quality', 'loss', 'participants'].map((name) => `/studies/{studyId}/analysis/${name}`),
  ...['participants', 'analysis/comparisons', 'analysis/visits', 'package'].map((part) => `/studies/{studyId}/${part}`),
  '/studies/{studyId}/previews/mouse',
  '/studies-all/drop-rate',
  '/operations/jobs',
]

const QUERY = [
  ...[OF_ONE, OF_ONE, `itemId=${ITEM}`, `itemId=${ITEM}`, 'itemId=', 'filter=', 'format=ndjson', 'limit=1000'],
  ...[OF_ONE.replace(PERSON, OTHER_PERSON), `${OF_ONE}+OR+TRUE`, `${OF_ONE}+OR+test_duration_ms+%3E+1`],
  ...[OF_ONE.replace('filter=', 'filter=NOT+'), `${OF_ONE}+AND+TRUE`, `filter=(${OF_ONE.slice(7)})`],
  ...[`participantId=${OTHER_PERSON}`, `participant=${OTHER_PERSON}`, `study=${HIDDEN}`, `studyId=${HIDDEN}`],
  ...['%66ilter=TRUE', 'Filter=TRUE', 'filter[]=TRUE', 'participantQualityGradeItemMin=1', 'cursor=x', 'state=queued'],
  ...['variant=velocity', 'aggregate=participant', 'groups=participant_external_id', 'analysis=x', 'format=csv'],
]

const HEADERS: [string, string][] = [
  ['x-auth-token', ''],
  ['authorization', 'Basic eDp4'],
  ['prefer', 'respond-async'],
  ['prefer', 'wait=5'],
  ['accept', 'text/csv'],
  ['accept', 'application/x-ndjson'],
  ['range', 'bytes=0-99'],
  ['if-none-match', '*'],
  ['x-original-url', `/api2/studies/${HIDDEN}`],
  ['x-http-method-override', 'GET'],
  ['x-forwarded-host', 'elsewhere.test'],
]
