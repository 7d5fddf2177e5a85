import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTokens } from '../../engine/access/tokens.ts'
import { smallBundle, uuid, writeBundle } from '../engine/import/bundles.ts'
import { until } from '../worker/back-ends.ts'
import { gazette, launch, type Running } from './gazette.ts'

/** Stands in nothing but what is told of one participant. */
const MARKER = 'TRACE-7f3a'
const DISPLAY = 'Trace O’Marker'

let root: string
let data: string
let running: Running | null = null
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gazette-traces-'))
  data = join(root, 'data')
})
afterEach(async () => {
  running?.killNow()
  await running?.ended
  await rm(root, { recursive: true, force: true })
})

/** Lists the files that hold a text, whatever they are. */
async function filesWith(text: string): Promise<string[]> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const found = await Promise.all(paths.map(async (path) => (await readFile(path)).includes(text)))
  return paths.filter((_, i) => found[i]).map((path) => path.slice(data.length + 1))
}

test.each(['over HTTP', 'by the command'])(
  'a participant who is removed %s leaves no trace in any file',
  async (how) => {
    const bundle = smallBundle()
    const [gone, other] = bundle.participants
    Object.assign(gone, { external_id: MARKER, display_name: DISPLAY })
    const study = String(bundle.study.id)
    const directory = await writeBundle(join(root, 'bundle'), bundle)
    expect(await gazette(['import', directory, '--data', data])).toMatchObject({ code: 0 })
    const asking = { studies: 'all', expiresAt: null, now: new Date() } as const
    const { token } = await openTokens(data).create({ ...asking, role: 'write' })
    running = launch(['start', '--data', data], { PORT: '0' })
    const [, url] = await running.said(/listening on (\S+)/)
    const ask = async (path: string, init: RequestInit = {}) => {
      const headers = { 'X-AUTH-TOKEN': token, 'Content-Type': 'application/json', ...init.headers }
      const answer = await fetch(`${url}/api2${path}`, { ...init, headers })
      return { status: answer.status, body: answer.status === 204 ? null : await answer.json() }
    }
    const fixations = `/studies/${study}/collected-data/eye-tracking/fixations`
    const filters = [
      `participant_external_id = '${MARKER}'`,
      `participant_display_name LIKE '%${DISPLAY}%'`,
      `participant_id = '${gone.participant_id}'`,
    ]
    for (const filter of filters) {
      const query = new URLSearchParams({ filter })
      const asked = await ask(`${fixations}?${query}`, { headers: { Prefer: 'respond-async' } })
      expect(asked).toMatchObject({ status: 202 })
      const job = asked.body
      await until(async () => (await ask(`/jobs/${job.id}`)).body.state === 'succeeded')
      const link = { path: `/studies/${study}/groups?${query}` }
      expect(await ask(`/studies/${study}/links`, { method: 'POST', body: JSON.stringify(link) })).toMatchObject({
        status: 201,
      })
    }
    const ofPerson = { path: `/studies/${study}/quality?participant=${gone.participant_id}` }
    const ofOther = { path: `/studies/${study}/quality?participant=${other.participant_id}` }
    for (const link of [ofPerson, ofOther])
      expect(await ask(`/studies/${study}/links`, { method: 'POST', body: JSON.stringify(link) })).toMatchObject({
        status: 201,
      })
    expect(await filesWith(MARKER)).not.toEqual([])

    if (how === 'over HTTP')
      expect((await ask(`/studies/${study}/participants/${gone.participant_id}`, { method: 'DELETE' })).status).toBe(
        204,
      )
    else {
      const args = ['remove', '--study', study, '--participant', String(gone.participant_id), '--yes', '--data', data]
      expect(await gazette(args)).toMatchObject({ code: 0 })
    }
    const { links } = (await ask(`/studies/${study}/links`)).body
    expect(links.map(({ path }: { path: string }) => path)).toEqual([ofOther.path])
    running.process.kill('SIGTERM')
    await running.ended
    expect(await filesWith(MARKER)).toEqual([])
    expect(await filesWith(DISPLAY)).toEqual([])
    // Who removed whom stands in the audit log, by the id alone; by HTTP not even that.
    expect(await filesWith(String(gone.participant_id))).toEqual(how === 'over HTTP' ? [] : ['audit.jsonl'])
    expect(await filesWith(uuid('b', 2))).not.toEqual([])
  },
)
