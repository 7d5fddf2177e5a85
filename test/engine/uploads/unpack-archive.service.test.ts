import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { archiveKind, unpackArchive } from '../../../engine/uploads/unpack-archive.ts'
import { type Put, tarGzOf, tarOf, zipOf } from './archives.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gazette-archive-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (bytes: Buffer) => {
  writeFileSync(join(root, 'lab'), bytes)
  return join(root, 'lab')
}
const directory = () => join(root, 'out')
async function unpack(bytes: Buffer, maxBytes?: number): Promise<string[]> {
  const path = put(bytes)
  return unpackArchive({ path, kind: (await archiveKind(path))!, directory: directory(), maxBytes })
}
const filesIn = () =>
  readdirSync(directory(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(directory().length + 1))
    .sort()

/** Lists the open files of this process, as far as the system reports them. */
const openFiles = () =>
  existsSync('/proc/self/fd')
    ? readdirSync('/proc/self/fd').flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/self/fd/${fd}`)]
        } catch {
          return []
        }
      })
    : []

const GOOD: Put[] = [
  { name: 'study/' },
  { name: 'study/study.json', bytes: '{}' },
  { name: 'study/images/a b.png', bytes: 'png', mode: 0o100000 },
]
const asTar = (entries: Put[]) => entries.map((one) => ({ ...one, type: one.name.endsWith('/') ? '5' : '0' }))

describe.each([
  ['zip', zipOf],
  ['tar', (entries: Put[]) => tarOf(asTar(entries))],
  ['tar.gz', (entries: Put[]) => tarGzOf(asTar(entries))],
] as const)('a %s', (kind, make) => {
  test('is told by its content, and unpacked for its owner alone', async () => {
    expect(await archiveKind(put(make(GOOD)))).toBe(kind)
    expect(await unpack(make(GOOD))).toEqual([])
    expect(filesIn()).toEqual(['study/images/a b.png', 'study/study.json'])
    expect(readFileSync(join(directory(), 'study/study.json'), 'utf8')).toBe('{}')
    expect(statSync(join(directory(), 'study/images/a b.png')).mode & 0o777).toBe(0o600)
    expect(statSync(join(directory(), 'study')).mode & 0o777).toBe(0o700)
  })

  test('leaves what operating systems add, and says so', async () => {
    const added = ['__MACOSX/._study.json', 'study/.DS_Store']
    expect(await unpack(make([...GOOD, ...added.map((name) => ({ name, bytes: 'x' }))]))).toEqual(added)
    expect(filesIn()).toHaveLength(2)
  })

  test.each(['../evil', 'study/../../evil', '/etc/evil', 'C:/evil', 'a\\..\\evil', 'a//b', 'new\nline'])(
    'is refused with the name %j in it, and nothing is written elsewhere',
    async (name) => {
      await expect(unpack(make([{ name, bytes: 'x' }]))).rejects.toMatchObject({ code: 'usage' })
      expect(filesIn()).toEqual([])
      expect(readdirSync(root).sort()).toEqual(['lab', 'out'])
      expect(existsSync('/etc/evil')).toBe(false)
    },
  )

  test('is refused when it holds a name twice, and when it holds too much', async () => {
    const twice = [...GOOD, GOOD[1]]
    await expect(unpack(make(twice))).rejects.toThrow('lab holds "study/study.json" twice')
    await expect(unpack(make(GOOD), 4)).rejects.toThrow('lab holds more than 4 bytes unpacked')
  })

  test('is refused when it is cut short', async () => {
    const bytes = make([{ name: 'a', bytes: Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * i) % 251)) }])
    await expect(unpack(bytes.subarray(0, bytes.length - 3000))).rejects.toThrow('damaged or truncated')
  })

  test('leaves no file open and writes nothing more once it is refused', async () => {
    const bytes = Buffer.from(Array.from({ length: 2 ** 16 }, (_, i) => (i * i * i) % 251))
    const whole = make(['a', 'b/c', 'd'].map((name) => ({ name, bytes })))
    for (let share = 1; share < 12; share++) {
      const cut = whole.subarray(0, Math.floor((whole.length * share) / 12))
      if (kind !== 'zip' && (await archiveKind(put(cut))) === null) continue
      await expect(unpackArchive({ path: put(cut), kind, directory: directory() })).rejects.toThrow(
        'damaged or truncated',
      )
      expect(openFiles().filter((path) => path.startsWith(directory()))).toEqual([])
      // Whatever still wrote there would fail now, with nobody to hear it.
      rmSync(directory(), { recursive: true })
    }
    expect(readdirSync(root)).toEqual(['lab'])
  })

  test('is refused as a bomb when it unpacks to 200 times its size', async () => {
    if (kind === 'tar') return
    const bomb = make([{ name: 'zeros.csv', bytes: Buffer.alloc(2 ** 27) }])
    await expect(unpack(bomb)).rejects.toThrow('lab unpacks to more than 200 times its size')
  })
})

test('a zip with a link, a device or a secret in it is refused', async () => {
  const link = [...GOOD, { name: 'link', bytes: '/etc/passwd', mode: 0o120777 }]
  await expect(unpack(zipOf(link))).rejects.toThrow('lab holds "link", which is a link: it must hold plain files')
  await expect(unpack(zipOf([{ name: 'tty', mode: 0o020666 }]))).rejects.toThrow('a device')
  await expect(unpack(zipOf([{ name: 'secret', isEncrypted: true }]))).rejects.toThrow('encrypted')
  expect(filesIn()).toEqual([])
})

test('a zip that claims less than it holds is refused', async () => {
  const lie = zipOf([{ name: 'a', bytes: Buffer.alloc(2 ** 20), claimedSize: 10 }])
  await expect(unpack(lie)).rejects.toThrow('lab has a damaged part "a": create the archive again')
  expect(statSync(join(directory(), 'a')).size).toBeLessThanOrEqual(10)
})

test('a tar with a link, a device or a pipe in it is refused', async () => {
  const kinds = { 1: 'a link', 2: 'a link', 3: 'a device or a pipe', 6: 'a device or a pipe' }
  for (const [type, what] of Object.entries(kinds)) {
    const linkTo = what === 'a link' ? '/etc/passwd' : ''
    await expect(unpack(tarOf([{ name: 'x', type, linkTo }]))).rejects.toThrow(`which is ${what}`)
  }
  expect(filesIn()).toEqual([])
})

test('a tar with a sparse file is refused, since its stored bytes are not its content', async () => {
  const old = tarOf([...GOOD.slice(1), { name: 'gaze.csv', bytes: 'x', type: 'S' }])
  await expect(unpack(old)).rejects.toThrow('lab holds "gaze.csv", which is a sparse file')
  rmSync(directory(), { recursive: true })
  // The format 0.0 keeps the name, 0.1 and 1.0 tell it.
  for (const [facts, told] of [
    ['22 GNU.sparse.size=99\n', 'lab holds a sparse file: it must hold plain files'],
    ['22 GNU.sparse.major=1\n28 GNU.sparse.name=gaze.csv\n', 'lab holds "gaze.csv", which is a sparse file'],
  ]) {
    const posix = tarOf([...GOOD.slice(1), { name: 'x', bytes: facts, type: 'x' }, { name: 'gaze.csv', bytes: 'x' }])
    await expect(unpack(posix)).rejects.toThrow(told)
    rmSync(directory(), { recursive: true })
  }
  await expect(unpack(tarOf([{ name: 'gaze.csv', type: 'Z' }]))).rejects.toThrow('which is of no known kind')
})

test('a tar that is cut short between two files is refused', async () => {
  const whole = tarOf(asTar(GOOD))
  await expect(unpack(whole.subarray(0, whole.length - 1024))).rejects.toThrow('damaged or truncated')
})

test('a tar may have zeros behind its end, and nothing else', async () => {
  const whole = tarOf(asTar(GOOD))
  for (const zeros of [1, 512, 9000, 2 ** 20]) {
    expect(await unpack(Buffer.concat([whole, Buffer.alloc(zeros)]))).toEqual([])
    expect(filesIn()).toHaveLength(2)
    rmSync(directory(), { recursive: true })
  }
  const other = tarOf([{ name: 'other.csv', bytes: 'x' }])
  for (const more of [other, Buffer.from('x'), Buffer.concat([Buffer.alloc(10_240), other])]) {
    await expect(unpack(Buffer.concat([whole, more]))).rejects.toThrow('lab holds more behind its end')
    rmSync(directory(), { recursive: true })
  }
})

test('a tar unpacks to what it holds, also where that is empty blocks, and however it is read', async () => {
  const bytes = Buffer.alloc(300_000)
  for (let at = 0; at < bytes.length; at += 5000) bytes.fill(at % 251, at, at + 1000)
  for (const of of [tarOf, tarGzOf]) {
    await unpack(
      of([
        { name: 'a', bytes },
        { name: 'b', bytes: Buffer.alloc(2048) },
        { name: 'c', bytes },
      ]),
    )
    expect(['a', 'b', 'c'].map((name) => readFileSync(join(directory(), name)).length)).toEqual([
      300_000, 2048, 300_000,
    ])
    for (const name of ['a', 'c']) expect(readFileSync(join(directory(), name)).equals(bytes)).toBe(true)
    rmSync(directory(), { recursive: true })
  }
})

test('what is behind the end of a tar takes no memory', async () => {
  const bytes = gzipSync(Buffer.concat([tarOf([{ name: 'a', bytes: randomBytes(2 ** 20) }]), Buffer.alloc(2 ** 27)]))
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }, 5)
  await unpack(bytes)
  clearInterval(watching)
  expect(most).toBeLessThan(2 ** 25)
})

test('the label of a tar is no file of it', async () => {
  expect(await unpack(tarOf([{ name: 'my lab', type: 'V' }, ...asTar(GOOD)]))).toEqual([])
  expect(filesIn()).toHaveLength(2)
})

test('a table, gzipped or not, and a spreadsheet are no archives', async () => {
  expect(await archiveKind(put(Buffer.from('a,b\n1,2\n')))).toBeNull()
  expect(await archiveKind(put(gzipSync('a,b\n1,2\n')))).toBeNull()
  expect(await archiveKind(put(zipOf([{ name: '[Content_Types].xml', bytes: '<x/>' }])))).toBeNull()
  expect(await archiveKind(put(Buffer.alloc(0)))).toBeNull()
  expect(await archiveKind(join(root, 'nowhere'))).toBeNull()
})
