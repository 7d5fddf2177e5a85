import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ZipFile } from 'yazl'
import { chance, pick, type Random, wholeBetween } from '../../demo/random.ts'
import { SAMPLE_LIMITS } from '../../engine/import/bundle/bundle-limits.ts'
import { importFiles } from '../../engine/uploads/import-files.ts'
import { STUDY_ID, smallBundle, writeBundle } from '../engine/import/bundles.ts'
import { tableWorkbook } from '../engine/recordings/workbooks.ts'
import { tarGzOf, tarOf } from '../engine/uploads/archives.ts'
import { claim, type Fuzzer, refusalOf, shown } from './fuzzer.ts'

type Packed = { name: string; bytes: Buffer; snapshotId: string; isTried: (at: number) => boolean }
const BLOCK = 512
const EVERYWHERE = () => true
const RECORDING = fileURLToPath(new URL('../engine/recordings/fixtures/tobii/pro-lab.tsv', import.meta.url))
const FILES = ['study.json', 'participants.csv', 'tests.csv', 'samples.csv']

/**
 * Damaged archives, workbooks and packed tables, brought in as an upload is: refused, or the same study as undamaged.
 */
export const ARCHIVES: Fuzzer = {
  name: 'archives',
  open: async () => {
    const root = await mkdtemp(join(tmpdir(), 'gazette-fuzz-'))
    const takeFile = async (name: string, bytes: Buffer): Promise<string> => {
      const place = await mkdtemp(join(root, 'in-'))
      const path = join(place, name)
      await writeFile(path, bytes)
      const result = await importFiles({
        ...{ paths: [path], foreign: {}, studyId: STUDY_ID },
        ...{ dataDir: join(place, 'data'), scratch: join(place, 'scratch'), append: false, dryRun: true },
        ...{ now: new Date(0), threads: 1, memoryMib: 128, limits: SAMPLE_LIMITS, onExisting: () => {} },
      }).finally(() => rm(place, { recursive: true }))
      return result.snapshotId
    }
    const all: Packed[] = []
    for (const { isTried = EVERYWHERE, ...packed } of await packedFiles(root))
      all.push({ ...packed, isTried, snapshotId: await takeFile(packed.name, packed.bytes) })
    const round = async (random: Random, tell: (input: string) => void) => {
      const { name, bytes, snapshotId, isTried } = pick(random, all)
      const places = Array.from(bytes.keys()).filter(isTried)
      const { damaged, words } = damage(random, bytes, places)
      tell(`${name} with ${words.join(', ')}: ${shown(damaged)}`)
      await refusalOf(async () => {
        const found = await takeFile(name, damaged)
        claim(found === snapshotId, `another study came of ${name} with ${words.join(', ')}`)
      })
    }
    return { round, close: () => rm(root, { recursive: true, force: true }) }
  },
}

/** Returns a bundle in each kind of archive, and a recording in each kind of packed file. */
async function packedFiles(
  root: string,
): Promise<{ name: string; bytes: Buffer; isTried?: (at: number) => boolean }[]> {
  const directory = await writeBundle(join(root, 'bundle'), smallBundle())
  const files = await Promise.all(FILES.map(async (name) => ({ name, bytes: await readFile(join(directory, name)) })))
  const zip = async ({ compress, forceZip64Format = false }: { compress: boolean; forceZip64Format?: boolean }) => {
    const file = new ZipFile()
    for (const { name, bytes } of files) file.addBuffer(bytes, name, { compress, forceZip64Format })
    file.end({ forceZip64Format, comment: '' })
    return buffer(file.outputStream)
  }
  const packed = files.map(({ name, bytes }) =>
    name.endsWith('.csv') ? { name: `${name}.gz`, bytes: gzipSync(bytes) } : { name, bytes },
  )
  const tar = tarOf(files)
  const isHeader = (at: number) => tar.toString('latin1', at - (at % BLOCK) + 257, at - (at % BLOCK) + 262) === 'ustar'
  const table = await readFile(RECORDING, 'utf8')
  const rows = table.split('\n').map((line) => line.split('\t'))
  return [
    { name: 'deflated.zip', bytes: await zip({ compress: true }) },
    { name: 'stored.zip', bytes: await zip({ compress: false }) },
    { name: 'zip64.zip', bytes: await zip({ compress: true, forceZip64Format: true }) },
    { name: 'bundle.tar.gz', bytes: tarGzOf(files) },
    // What lies in a plain tar has no checksum.
    { name: 'bundle.tar', bytes: tar, isTried: isHeader },
    { name: 'packed.tar.gz', bytes: tarGzOf(packed) },
    { name: 'table.xlsx', bytes: tableWorkbook(rows) },
    { name: 'table.tsv.gz', bytes: gzipSync(table) },
  ]
}

/** Damages bytes at some places: most of the time by one bit. Nothing makes a whole archive of two. */
function damage(random: Random, bytes: Buffer, places: number[]): { damaged: Buffer; words: string[] } {
  let damaged = Buffer.from(bytes)
  const words: string[] = []
  for (let times = chance(random, 0.6) ? 1 : wholeBetween(random, 1, 4); times > 0; times--) {
    const at = Math.min(pick(random, places), damaged.length - 1)
    const end = Math.min(damaged.length, at + wholeBetween(random, 1, 64))
    const [before, part, after] = [damaged.subarray(0, at), damaged.subarray(at, end), damaged.subarray(end)]
    const kind = wholeBetween(random, 0, 9)
    if (kind <= 4) {
      const bit = wholeBetween(random, 0, 7)
      damaged[at] ^= 1 << bit
      words.push(`bit ${bit} of byte ${at} turned`)
    } else if (kind === 5) {
      const value = pick(random, [0, 0xff, 0x7f, 0x80])
      damaged.fill(value, at, end)
      words.push(`bytes ${at} to ${end} ${value}`)
    } else if (places.length < bytes.length) {
      words.push('nothing: what lies in a plain tar has no checksum, so nothing is moved there')
    } else if (kind === 6) {
      damaged = Buffer.concat([before, after])
      words.push(`bytes ${at} to ${end} cut out`)
    } else if (kind === 7) {
      damaged = Buffer.concat([before, part, part, after])
      words.push(`bytes ${at} to ${end} twice`)
    } else if (kind === 8) {
      damaged = Buffer.concat([before, Buffer.from(part).reverse(), after])
      words.push(`bytes ${at} to ${end} reversed`)
    } else {
      damaged = Buffer.from(before)
      words.push(`all from byte ${at} cut off`)
    }
    if (damaged.length === 0) break
  }
  return { damaged, words }
}
