import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packFiles } from '../../../../dashboard/pages/bring-in/files/pack.ts'
import { CannotTake } from '../../../../dashboard/pages/bring-in/files/read-drop.ts'
import { tarOf } from '../../../../dashboard/pages/bring-in/files/tar.ts'
import { unpackArchive } from '../../../../engine/uploads/unpack-archive.ts'

const one = (path: string, content: string, type = '') => ({
  path,
  file: new File([content], path.replace(/^.*\//, ''), { type, lastModified: 1_700_000_000_000 }),
})

test('a tar of files is what the server unpacks, with long names and those of any script', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gazette-tar-'))
  const files = {
    'a.csv': 'x'.repeat(512),
    'empty.txt': '',
    'sub/é ü.csv': 'ä',
    [`${'long '.repeat(15)}/${'name'.repeat(20)}.csv`]: 'y'.repeat(513),
    'שלום/眼动.tsv': 'z',
  }
  const tar = tarOf(Object.entries(files).map(([path, content]) => one(path, content)))
  await writeFile(join(directory, 'a.tar'), Buffer.from(await tar.arrayBuffer()))
  const to = join(directory, 'out')
  expect(await unpackArchive({ path: join(directory, 'a.tar'), kind: 'tar', directory: to })).toEqual([])
  for (const [path, content] of Object.entries(files)) expect(await readFile(join(to, path), 'utf8')).toBe(content)
  await rm(directory, { recursive: true })
})

test('a single file and archives are sent as they are, the rest as one tar with the name of its folder', () => {
  const names = (...files: ReturnType<typeof one>[]) => packFiles({ files, hidden: [] }).parcels.map(({ name }) => name)
  expect(names(one('kim.csv', 'x'))).toEqual(['kim.csv'])
  expect(names(one('lab/kim.csv', 'x'), one('lab/zoe.csv', 'x'))).toEqual(['lab.tar'])
  expect(names(one('kim.csv', 'x'), one('lab/zoe.csv', 'x'), one('old.zip', 'x'))).toEqual([
    'old.zip',
    'recordings.tar',
  ])
})

test('the same files have the same fingerprint, and others have another', () => {
  const print = (...files: ReturnType<typeof one>[]) => packFiles({ files, hidden: [] }).parcels[0].fingerprint
  expect(print(one('kim.csv', 'x'))).toBe(print(one('kim.csv', 'y')))
  expect(print(one('kim.csv', 'x'))).not.toBe(print(one('kim.csv', 'xy')))
  expect(print(one('kim.csv', 'x'))).not.toBe(print(one('lab/kim.csv', 'x')))
})

test('videos of a folder are left, those of a bundle are not, and nothing but pictures is refused', () => {
  const film = one('lab/world.mp4', 'film', 'video/mp4')
  const left = packFiles({ files: [film, one('lab/gaze.csv', 'x'), one('lab/empty.csv', '')], hidden: ['lab/.x'] })
  expect(left.parcels.map(({ files }) => files.map(({ path }) => path))).toEqual([['lab/gaze.csv', 'lab/empty.csv']])
  expect(left.notes).toEqual([
    '1 file with 0 bytes: lab/empty.csv. Check that they were copied completely.',
    'Not sent, since they hold no gaze: 1 video or sound (4 B): lab/world.mp4. Add videos that were shown to participants on the page of the study afterwards.',
    'Not sent, since they are hidden: lab/.x.',
  ])
  expect(packFiles({ files: [film, one('lab/study.json', '{}')], hidden: [] }).notes).toEqual([])
  expect(() => packFiles({ files: [one('a.png', 'x', 'image/png')], hidden: [] })).toThrow(CannotTake)
})
