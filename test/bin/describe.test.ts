import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { putCommand } from '../../bin/commands/analyses.ts'
import { describeStudy } from '../../bin/commands/describe.ts'
import { studies } from '../../bin/commands/studies.ts'
import { readConfig } from '../../engine/model/settings.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { GOLDEN_STUDY, importGolden, newDataDir } from '../engine/studies.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await newDataDir()
  await importGolden(dataDir)
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterAll(async () => {
  vi.restoreAllMocks()
  await rm(dataDir, { recursive: true, force: true })
})

const config = () => readConfig({ DATA_DIR: dataDir })
const current = async () => (await openStudies(dataDir).current(GOLDEN_STUDY))!
const change = (options: Omit<Parameters<typeof describeStudy>[0], 'study' | 'config'>) =>
  describeStudy({ study: GOLDEN_STUDY, ...options, config: config() })

async function printed(work: () => Promise<void>): Promise<string> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await work()
  const text = log.mock.calls.map((cells) => cells.join(' ')).join('\n')
  log.mockRestore()
  return text
}

test('a study is renamed, described and archived by a command, and lists follow', async () => {
  const before = await current()
  const file = join(dataDir, 'about.json')
  const about = { description: 'Menus', keywords: ['b'], authors: [{ name: 'The team' }] }
  await writeFile(file, JSON.stringify(about))
  await change({ name: 'Study 10', about: file, archive: true })
  const { study, manifest } = await current()
  expect(study).toEqual({ ...before.study, name: 'Study 10', about, isArchived: true })
  expect(manifest.counts).toEqual(before.manifest.counts)
  expect(JSON.parse(await printed(() => change({})))).toEqual(about)
  expect(await printed(() => studies({ config: config() }))).toBe('')
  expect(await printed(() => studies({ all: true, config: config() }))).toMatch(
    /Study 10 \(archived\)\n.*changed .* · b$/,
  )
  await change({ archive: false })
  expect((await current()).study).not.toHaveProperty('isArchived')
  expect(await printed(() => studies({ config: config() }))).toContain('Study 10')
})

test('a study is put into a project and taken out of it by a command, and lists filter by it', async () => {
  const before = await current()
  await change({ project: 'Replication 1' })
  expect((await current()).study).toEqual({ ...before.study, project: 'Replication 1' })
  await change({ name: 'Study 11' })
  const ofProject = (project: string) => printed(() => studies({ project, config: config() }))
  expect(await ofProject('Replication 1')).toMatch(/Study 11\n.* · project Replication 1 · changed /)
  await expect(ofProject('Replicaton 1')).rejects.toMatchObject({
    code: 'not_found',
    message: 'no study is in project Replicaton 1; did you mean Replication 1?',
  })
  await expect(change({ project: ' x' })).rejects.toMatchObject({ code: 'usage' })
  await change({ project: false })
  expect((await current()).study).not.toHaveProperty('project')
})

test('an invalid description is refused, and nothing changes', async () => {
  const { id } = await current()
  const file = join(dataDir, 'wrong.json')
  await writeFile(file, JSON.stringify({ authors: [{}] }))
  const refusal = (message: string) => ({ code: 'invalid_bundle', message: `${file} ${message}` })
  const ending = 'and nothing was published'
  await expect(change({ about: file })).rejects.toMatchObject(refusal(`has 1 problem, ${ending}`))
  await writeFile(file, `{"keywords":${'['.repeat(9)}${']'.repeat(9)}}`)
  await expect(change({ about: file })).rejects.toMatchObject(
    refusal(`must be nested at most 4 deep, not 10, ${ending}`),
  )
  await expect(change({ name: ' ' })).rejects.toMatchObject({ code: 'usage' })
  expect((await current()).id).toBe(id)
})

test('a file that cannot be read is refused by its name, as one that is not JSON', async () => {
  const { id } = await current()
  const missing = join(dataDir, 'nowhere.json')
  const refusal = { code: 'usage', message: `${missing} cannot be read: there is no such file` }
  await expect(change({ about: missing })).rejects.toMatchObject(refusal)
  await expect(
    putCommand({ study: GOLDEN_STUDY, name: 'mine', file: missing, config: config() }),
  ).rejects.toMatchObject(refusal)
  const broken = join(dataDir, 'broken.json')
  await writeFile(broken, '{"authors')
  await expect(change({ about: broken })).rejects.toMatchObject({
    code: 'invalid_bundle',
    message: expect.stringContaining(broken),
  })
  expect((await current()).id).toBe(id)
})

test('boxes of words become AOIs of the items that they name, once', async () => {
  const before = (await current()).study
  const [first] = before.items
  const file = join(dataDir, 'words.csv')
  await writeFile(
    file,
    `item,line,text,left,top,right,bottom\n"${first.filename}",1,The,0,0,40,20\n${first.id},1,fox,40,0,80,20\n`,
  )
  await change({ boxes: file })
  const { study, id } = await current()
  const names = (aois: typeof study.aois, isOf: boolean) =>
    aois.filter(({ itemId }) => (itemId === first.id) === isOf).map(({ name }) => name)
  expect(names(study.aois, true)).toEqual(['1.1 The', '1.2 fox'])
  expect(names(study.aois, false)).toEqual(names(before.aois, false))
  await change({ boxes: file })
  expect((await current()).id).toBe(id)
  await writeFile(file, Buffer.from('item,text,x,y,width,height\na.png,G\xe4nse,0,0,9,9\n', 'latin1'))
  await expect(change({ boxes: file })).rejects.toMatchObject({ code: 'usage', message: `${file} must be UTF-8` })
  expect((await current()).id).toBe(id)
})
