import { createHash } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTokens } from '../../engine/access/tokens.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { VERSION } from '../../engine/model/version.ts'
import { manifestSubject } from '../../engine/snapshot/snapshots.ts'
import { seal } from '../../engine/storage/files/sealed-json.ts'
import { smallBundle, writeBundle } from '../engine/import/bundles.ts'
import { gazette, launch, type Running } from './gazette.ts'

/** Data directories as the versions wrote them that first had each format: a study of one participant, a job of it. */
const FIXTURES = fileURLToPath(new URL('../data-formats', import.meta.url))
const STUDY = '00000000-0000-4000-8001-000000000000'
const FIXATIONS = `/studies/${STUDY}/collected-data/eye-tracking/fixations`

let root: string
let data: string
let running: Running | null = null
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gazette-formats-'))
  data = join(root, 'data')
})
afterEach(async () => {
  running?.killNow()
  await running?.ended
  running = null
  await rm(root, { recursive: true, force: true })
})

const take = (format: number) => cp(join(FIXTURES, `format-${format}`), data, { recursive: true })

/** The SHA-256 of every file of studies and jobs. */
async function stored(): Promise<Record<string, string>> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const kept = paths.filter((path) => /\/(studies|exports)\/.*[0-9a-f]{8}/.test(path)).sort()
  const hash = async (path: string) =>
    [
      path.slice(data.length),
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ] as const
  return Object.fromEntries(await Promise.all(kept.map(hash)))
}

async function start() {
  const { id, token } = await openTokens(data).create({
    role: 'read',
    studies: 'all',
    expiresAt: null,
    now: new Date(),
  })
  for (const job of await readdir(join(data, 'exports')).catch(() => []))
    await writeFile(join(data, 'exports', job, 'by', id), '')
  const before = await stored()
  running = launch(['start', '--data', data], { PORT: '0' })
  const [, url] = await running.said(/listening on (\S+)/)
  const get = async (path: string) => {
    const answer = await fetch(`${url}/api2${path}`, { headers: { 'X-AUTH-TOKEN': token } })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, body: isJson ? JSON.parse(text) : text }
  }
  const stop = async () => {
    running!.process.kill('SIGTERM')
    return (await running!.ended).stderr
  }
  return { get, stop, before }
}

describe.each([2, 3, 4])('a data directory of format %i', (format) => {
  const sentence = `tudy ${STUDY} is stored in format ${format}, of an earlier version of Gazette, and this one reads formats 5 and 6: import its bundle again, or read it with that version`

  test('is refused in the same words by start, HTTP, check and lists, and left as it is', async () => {
    await take(format)
    const { get, stop, before } = await start()
    for (const path of [`/studies/${STUDY}`, FIXATIONS]) {
      const { status, body } = await get(path)
      expect({ status, type: body.type, detail: body.detail }).toEqual({
        status: 501,
        type: '/docs/problems/other-format',
        detail: `S${sentence}.`,
      })
    }
    expect((await get('/studies')).body).toMatchObject({ studies: [], damaged: [STUDY] })
    for (const job of format === 4 ? await readdir(join(data, 'exports')) : []) {
      if (!job.startsWith('x')) continue
      const { status, body } = await get(`/jobs/${job}`)
      expect({ status, detail: body.detail }).toEqual({
        status: 501,
        detail: `An earlier version of Gazette made job ${job}: request the export again.`,
      })
    }
    expect(await stop()).toContain(`gazette: S${sentence}.`)
    expect(await stored()).toEqual(before)
    const checked = await gazette(['check', '--data', data])
    expect(checked.code).toBe(1)
    expect(checked.stdout).toContain(`S${sentence}.`)
    const listed = await gazette(['studies', '--data', data])
    expect(listed.stdout).toContain(`s${sentence}`)
  })

  test('opens once its bundle has been imported again', async () => {
    await take(format)
    const directory = await bundle()
    await importBundle({
      dataDir: data,
      directory,
      append: false,
      dryRun: false,
      now: new Date(),
      threads: 1,
      memoryMib: 256,
    })
    const listed = await gazette(['studies', '--data', data])
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('Worked case') })
  })
})

/** Writes a bundle of the study. */
async function bundle(): Promise<string> {
  const small = smallBundle()
  const study = { ...small.study, id: STUDY, name: 'Worked case' }
  return writeBundle(join(root, 'bundle'), { ...small, study })
}

async function studyJson(): Promise<string> {
  const directory = join(data, 'studies', STUDY)
  return join(directory, (await readFile(join(directory, 'current'), 'utf8')).trim(), 'study.json')
}

test('a data directory of the first version with format 5 opens; of its jobs it is said that they are to be asked for again', async () => {
  await take(5)
  const { get, stop } = await start()
  expect(await get(`/studies/${STUDY}`)).toMatchObject({ status: 200, body: { name: 'Worked case', sampleCount: 5 } })
  const { status, body } = await get(FIXATIONS)
  expect({ status, lines: String(body).trim().split('\n').length }).toEqual({ status: 200, lines: 2 })
  const [job] = (await readdir(join(data, 'exports'))).filter((name) => name.startsWith('x'))
  expect(await get(`/jobs/${job}`)).toMatchObject({ status: 501 })
  expect(await stop()).not.toContain('is stored in format')
})

describe('what a later version wrote', () => {
  test('is left alone by every command, in words', async () => {
    await take(5)
    const mark = seal({ format: 6 }, 'format of the data directory')
    await writeFile(join(data, 'format.json'), mark)
    const before = await stored()
    const names = await readdir(data)
    for (const args of [
      ['start'],
      ['check', '--repair'],
      ['studies'],
      ['import', FIXTURES],
      ['remove', '--study', STUDY],
    ]) {
      const { code, stderr } = await gazette([...args, '--data', data], { PORT: '0' })
      expect({ args, code, stderr }).toEqual({
        args,
        code: 1,
        stderr: `gazette: ${data} has format 6, of a later version of Gazette; this one, ${VERSION}, knows formats up to 5, and left everything as it is: use that version\n`,
      })
    }
    expect(await stored()).toEqual(before)
    expect(await readdir(data)).toEqual(names)
  })

  test('is refused by HTTP where one study has a later format, and no import replaces it', async () => {
    await take(5)
    const directory = join(await studyJson(), '..')
    const manifest = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8'))
    const id = manifest.snapshotId
    await writeFile(join(directory, 'manifest.json'), seal({ ...manifest, formatVersion: 7 }, manifestSubject(id)))
    const imported = await gazette(['import', await bundle(), '--data', data])
    expect(imported).toMatchObject({ code: 1, stderr: expect.stringContaining('of a later version of Gazette') })
    const { get, before } = await start()
    expect(await get(`/studies/${STUDY}`)).toMatchObject({
      status: 501,
      body: { detail: expect.stringContaining('is stored in format 7, of a later version of Gazette') },
    })
    expect(await stored()).toEqual(before)
  })
})
