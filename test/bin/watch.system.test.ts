import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { keptDirectory } from '../engine/kept.ts'
import { mappingOf } from '../engine/recordings/mapping.ts'
import { zipOf } from '../engine/uploads/archives.ts'
import { gazette, launch, type Running } from './gazette.ts'

const root = await keptDirectory()
const bundle = join(root, 'bundle')
await writeDemoBundle({ directory: bundle, participants: 3, items: 2, seconds: 1, hz: 30, seed: 1, memoryMib: 128 })
const studyId = JSON.parse(await readFile(join(bundle, 'study.json'), 'utf8')).id

const STUDY = '5f0c1d9e-3c1b-4c57-9d0a-2f0f2b7c1a01'
/** A recording of one participant, as our own raw gazes name its columns. */
const recordingOf = (who: string) => `participant,item,t_ms,x,y\n${who},a.png,0,5,6\n${who},a.png,16,7,8\n`
const MAPPING = mappingOf({
  participant: 'participant',
  item: 'item',
  time: { column: 't_ms', unit: 'ms', origin: 'item' },
  screen: { widthPx: 800, heightPx: 600 },
})

async function place(name: string): Promise<{ folder: string; data: string }> {
  const [folder, data] = [join(root, name, 'in'), join(root, name, 'data')]
  await mkdir(folder, { recursive: true })
  return { folder, data }
}
const start = ({ folder, data }: { folder: string; data: string }, ...more: string[]) =>
  launch(['watch', folder, '--settle', '0', '--data', data, ...more])
async function stop(running: Running): Promise<string> {
  running.process.kill('SIGINT')
  const { code, stderr } = await running.ended
  expect([code, stderr.includes('Error')]).toEqual([0, false])
  return stderr
}
const countsOf = async (data: string, id: string) => (await openStudies(data).current(id))?.manifest.counts

test('imports bundles, archives and recordings one by one, and refuses what is wrong with its problems', async () => {
  const at = await place('all')
  await cp(bundle, join(at.folder, 'demo'), { recursive: true })
  await cp(bundle, join(at.folder, 'wrong'), { recursive: true })
  await writeFile(join(at.folder, 'wrong', 'tests.csv'), 'test_id\nnone\n')
  await writeFile(join(at.folder, 'notes.txt'), 'hello')
  await writeFile(join(at.folder, 'evil.zip'), zipOf([{ name: '../evil', bytes: 'x' }]))
  await writeFile(join(at.folder, 'half.csv.part'), 'still being written')
  const running = start(at)
  await running.said(/done\/demo: Published study .*: 3 participants, 2 items, 6 tests, .* samples\.\n/)
  await running.said(/refused\/wrong: Refused: the bundle has/)
  // What comes while it runs, and the same again.
  const files = (await readdir(bundle, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  const entries = await Promise.all(
    paths.map(async (path) => ({ name: path.slice(root.length + 1), bytes: await readFile(path) })),
  )
  await writeFile(join(root, 'demo'), zipOf(entries))
  await rename(join(root, 'demo'), join(at.folder, 'demo'))
  await running.said(/done\/demo \(2\): Study .* already has exactly this data: nothing to publish\.\n/)
  await stop(running)
  expect((await readdir(at.folder)).sort()).toEqual(['done', 'half.csv.part', 'refused'])
  const reports = (folder: string) => readdir(join(at.folder, folder)).then((all) => all.sort())
  expect(await reports('done')).toEqual(['demo', 'demo (2)', 'demo (2).report.txt', 'demo.report.txt'])
  const left = ['evil.zip', 'notes.txt', 'wrong'].flatMap((name) => [name, `${name}.report.txt`])
  expect(await reports('refused')).toEqual(left)
  const report = await readFile(join(at.folder, 'refused', 'wrong.report.txt'), 'utf8')
  expect(report).toMatch(/^ {2}tests\.csv, line 1, item_id: is missing in the header\n/m)
  expect(await readFile(join(at.folder, 'refused', 'evil.zip.report.txt'), 'utf8')).toMatch(/leads elsewhere/)
})

test('adds recordings to a study, also the first one; a killed watch imports nothing twice, and loses nothing', async () => {
  const at = await place('append')
  await writeFile(join(root, 'mapping.json'), JSON.stringify(MAPPING))
  const options = ['--append', '--study', STUDY, '--mapping', join(root, 'mapping.json')]
  const people = Array.from({ length: 4 }, (_, i) => `P${i}`)
  const bring = (who: string) => writeFile(join(at.folder, `${who}.csv`), recordingOf(who))
  await Promise.all(people.slice(0, 3).map(bring))
  for (let kills = 0; kills < 2; kills++) {
    const running = start(at, ...options)
    // At a different moment each time: at the start, in an import, and right after one.
    await running.said(kills % 2 === 0 ? /done\/P\d\.csv: Published/ : /$/)
    running.killNow()
    await running.ended
  }
  await bring('P3')
  const running = start(at, ...options)
  await running.said(/done\/P3\.csv: Published/)
  expect((await gazette(['watch', at.folder, '--data', at.data])).stderr).toMatch(
    /another .* watch \(process \d+\) works on/,
  )
  await stop(running)
  expect(await countsOf(at.data, STUDY)).toMatchObject({ participants: 4, items: 1, tests: 4, samples: 8 })
  expect((await readdir(join(at.folder, 'done'))).filter((name) => name.endsWith('.csv')).sort()).toEqual(
    people.map((who) => `${who}.csv`),
  )
  expect(await readdir(join(at.folder, 'refused'))).toEqual([])
  const leftOver = (await readdir(at.data, { recursive: true })).filter((name) => /^intake-.*\/files/.test(name))
  expect(leftOver).toEqual([])
})

test('moves what was published right before it was killed, without importing it again', async () => {
  const at = await place('killed')
  await cp(bundle, join(at.folder, 'demo'), { recursive: true })
  const first = start(at)
  await first.said(/done\/demo/)
  await stop(first)
  // As it was between publishing and moving: the note is there, and so is the bundle.
  await rename(join(at.folder, 'done', 'demo'), join(at.folder, 'demo'))
  const { openWatchedFolder } = await import('../../bin/runtime/watched-folder.ts')
  const folder = await openWatchedFolder(at.folder, 0, at.data)
  await folder.settled()
  const [entry] = await folder.settled()
  await folder.note({ ...entry, studyId, snapshotId: (await openStudies(at.data).currentId(studyId))! })
  await folder.close()
  const second = start(at)
  await second.said(/done\/demo: Published study .* before this was stopped\.\n/)
  await stop(second)
})

test('keeps a study that is there, unless it may be replaced', async () => {
  const at = await place('keeps')
  await cp(bundle, join(at.folder, 'one'), { recursive: true })
  const first = start(at)
  await first.said(/done\/one/)
  const other = join(root, 'other')
  await writeDemoBundle({ directory: other, participants: 2, items: 2, seconds: 1, hz: 30, seed: 2, memoryMib: 128 })
  const study = JSON.parse(await readFile(join(other, 'study.json'), 'utf8'))
  await writeFile(join(other, 'study.json'), JSON.stringify({ ...study, id: studyId }))
  await cp(other, join(at.folder, 'two'), { recursive: true })
  await first.said(/refused\/two: Refused: .*add --replace/)
  await stop(first)
  expect(await countsOf(at.data, studyId)).toMatchObject({ participants: 3 })
  await rename(join(at.folder, 'refused', 'two'), join(at.folder, 'two'))
  const second = start(at, '--replace')
  await second.said(/done\/two: Published/)
  await stop(second)
  expect(await countsOf(at.data, studyId)).toMatchObject({ participants: 2 })
})

test('says in one sentence what is wrong with its use', async () => {
  const data = join(root, 'data')
  const nowhere = await gazette(['watch', join(root, 'nowhere'), '--data', data])
  expect([nowhere.code, nowhere.stderr]).toEqual([
    1,
    expect.stringMatching(/^gazette: there is no folder .*nowhere\n$/),
  ])
  const both = await gazette(['watch', root, '--append', '--replace', '--data', data])
  expect([both.code, both.stderr]).toEqual([2, 'gazette: give --append or --replace, not both\n'])
})
