import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ZipFile } from 'yazl'
import { sheetsOf, sheetText } from '../../../engine/recordings/workbook/sheet-text.ts'
import { unpackedBytes } from '../../../engine/storage/files/unpacked-bytes.ts'
import { archiveKind, unpackArchive } from '../../../engine/uploads/unpack-archive.ts'
import { workbookParts, zipOf } from '../recordings/workbooks.ts'
import { tarGzOf, tarOf } from './archives.ts'

/** Number of bits to flip in each kind, at equal distances; an odd distance reaches each bit of a byte in turn. */
const TURNED = 300

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gazette-bits-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const FILES = { 'a/P1': 'time,x\n0,1\n10,2\n', 'a/é': '{"a":1}' }
const REFUSED = 'refused'

/** Returns what comes of a file with one bit turned, for each bit whose byte `isTried`. */
async function turned(
  bytes: Buffer,
  read: (path: string) => Promise<unknown>,
  isTried: (at: number) => boolean = () => true,
): Promise<{ bit: number; outcome: unknown }[]> {
  const path = join(root, 'lab')
  const outcomes = []
  const bits = Array.from({ length: bytes.length * 8 }, (_, bit) => bit).filter((bit) => isTried(bit >> 3))
  const step = Math.ceil(bits.length / TURNED) | 1
  for (const bit of bits.filter((_, i) => i % step === 0)) {
    const damaged = Buffer.from(bytes)
    damaged[bit >> 3] ^= 1 << (bit & 7)
    writeFileSync(path, damaged)
    outcomes.push({ bit, outcome: await read(path).catch(() => REFUSED) })
  }
  return outcomes
}

async function unpacked(path: string): Promise<Record<string, string>> {
  const kind = await archiveKind(path)
  if (kind === null) throw new Error('no archive')
  const directory = join(root, 'out')
  rmSync(directory, { recursive: true, force: true })
  await unpackArchive({ path, kind, directory })
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name)
      return [file.slice(directory.length + 1), readFileSync(file, 'utf8')]
    }),
  )
}

async function zip({ compress, forceZip64Format = false }: { compress: boolean; forceZip64Format?: boolean }) {
  const file = new ZipFile()
  file.addEmptyDirectory('a')
  for (const [name, text] of Object.entries(FILES))
    file.addBuffer(Buffer.from(text), name, { compress, forceZip64Format })
  file.end({ forceZip64Format, comment: 'lab' })
  return buffer(file.outputStream)
}

const entries = [
  { name: 'a/', type: '5' },
  ...Object.entries(FILES).map(([name, bytes]) => ({ name, bytes, type: '0' })),
]

describe.each([
  ['a zip', () => zip({ compress: true })],
  ['a zip of stored files', () => zip({ compress: false })],
  ['a zip in ZIP64', () => zip({ compress: true, forceZip64Format: true })],
  ['a gzipped tar', async () => tarGzOf(entries)],
])('%s with one bit turned', (_kind, make) => {
  test('is refused, or unpacks to what it held', async () => {
    const bytes = await make()
    writeFileSync(join(root, 'lab'), bytes)
    expect(await unpacked(join(root, 'lab'))).toEqual(FILES)
    for (const { bit, outcome } of await turned(bytes, unpacked))
      if (outcome !== REFUSED) expect(outcome, `bit ${bit}`).toEqual(FILES)
  })
})

test('a zip that names a place no file has is refused, where Node would throw with nobody to catch it', async () => {
  const bytes = await zip({ compress: true, forceZip64Format: true })
  const end = bytes.indexOf(Buffer.from('PK\x06\x06', 'latin1'))
  for (const at of [end + 48, bytes.indexOf(Buffer.from('PK\x06\x07', 'latin1')) + 8]) {
    const damaged = Buffer.from(bytes)
    damaged[at + 7] = 0xff
    writeFileSync(join(root, 'lab'), damaged)
    await expect(unpacked(join(root, 'lab'))).rejects.toThrow('lab names places behind its end')
  }
})

test('a tar with one bit of its headers turned is refused, or unpacks to what it held', async () => {
  const bytes = tarOf(entries)
  const headers = Array.from({ length: bytes.length / 512 }, (_, i) => i * 512).filter(
    (at) => bytes.subarray(at + 257, at + 262).toString() === 'ustar',
  )
  expect(headers).toHaveLength(entries.length)
  const outcomes = await turned(bytes, unpacked, (at) => headers.includes(at - (at % 512)))
  for (const { bit, outcome } of outcomes) if (outcome !== REFUSED) expect(outcome, `bit ${bit}`).toEqual(FILES)
})

test('a gzipped table with one bit turned is refused, or is what it was; so is one of two members', async () => {
  const text = FILES['a/P1']
  const read = async (path: string) => {
    const chunks = []
    for await (const chunk of unpackedBytes(path, { isGzip: true, chunkBytes: 1024 })) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  for (const outcomes of [
    await turned(gzipSync(text), read),
    await turned(Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9)), Buffer.alloc(40)]), read),
  ])
    for (const { bit, outcome } of outcomes) if (outcome !== REFUSED) expect(outcome, `bit ${bit}`).toBe(text)
})

test('a gzipped table with more behind zeros is refused: zlib would forget it', async () => {
  const path = join(root, 'lab.gz')
  const members = [gzipSync('time\n1\n'), Buffer.alloc(700), gzipSync('2\n')]
  const read = async () => {
    for await (const _ of unpackedBytes(path, { isGzip: true, chunkBytes: 64 }));
  }
  writeFileSync(path, Buffer.concat(members.slice(0, 2)))
  await read()
  writeFileSync(path, Buffer.concat(members))
  await expect(read()).rejects.toMatchObject({ code: 'Z_DATA_ERROR' })
})

test('a workbook with one bit turned is refused, or holds what it held', async () => {
  const sheets = {
    P1: '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" s="1"><v>45000</v></c></row>',
    P2: '<row r="1"><c r="A1"><v>7</v></c></row>',
  }
  const bytes = zipOf(workbookParts(sheets, { strings: ['<si><t>day</t></si>'], formats: ['yyyy-mm-dd'] }))
  const read = async (path: string) => {
    const tables: Record<string, string> = {}
    for (const { name, part } of (await sheetsOf(path, 'lab')) ?? []) {
      tables[name] = ''
      for await (const text of sheetText({ path, name: 'lab', sheet: part })) tables[name] += text.toString()
    }
    if (Object.keys(tables).length === 0) throw new Error('no workbook')
    return tables
  }
  writeFileSync(join(root, 'lab'), bytes)
  const held = await read(join(root, 'lab'))
  expect(held).toEqual({ P1: 'day\n2023-03-15T00:00:00.000\n', P2: '7\n' })
  for (const { bit, outcome } of await turned(bytes, read))
    if (outcome !== REFUSED) expect(outcome, `bit ${bit}`).toEqual(held)
})
