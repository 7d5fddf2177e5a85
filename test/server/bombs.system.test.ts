import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { kept, keptDirectory } from '../engine/kept.ts'
import { mappingOf } from '../engine/recordings/mapping.ts'
import { gzipOfSame, tarGzOf } from '../engine/uploads/archives.ts'
import { openTestServer } from './test-server.ts'
import { imported, upload } from './uploads.ts'

/** Uploads that are small and would unpack to gigabytes, or to a hundred thousand things. Each is refused. */
const service = kept(await openTestServer({}, { hasWorker: true }))
const directory = await keptDirectory()
const size = { participants: 2, items: 2, seconds: 1, hz: 30, seed: 1 }
await writeDemoBundle({ directory, ...size, memoryMib: 128 })
const entries = await readdir(directory, { recursive: true, withFileTypes: true })
const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
const files = await Promise.all(
  paths.map(async (path) => ({ name: path.slice(directory.length + 1), bytes: await readFile(path) })),
)

async function refused(name: string, bytes: Buffer, options: object = {}): Promise<string> {
  const id = await upload(service, service.write, name, bytes)
  const { state, error } = await imported(service, service.write, { uploads: [id], ...options })
  expect([state, error!.status]).toEqual(['failed', 422])
  expect((await readdir(service.dataDir)).filter((left) => left.startsWith('intake-'))).toEqual([])
  return JSON.stringify(error)
}

test('a table of 10 GB in a gzip of 10 MB is refused in one sentence', async () => {
  const mapping = mappingOf({
    participant: 'participant',
    item: 'item',
    time: { column: 't_ms', unit: 'ms', origin: 'item' },
  })
  // With a header, so that it is taken for a table.
  const table = Buffer.concat([gzipSync('participant,item,t_ms,x,y\nP1,a.png,0,5,6\n'), gzipOfSame('\0', 10)])
  const error = await refused('gaze.csv.gz', table, { mapping, screen: { widthPx: 800, heightPx: 600 } })
  expect(JSON.parse(error).detail).toMatch(/^gaze\.csv\.gz is not a text file/)
})

test('a bundle whose samples unpack to 200 times their size is refused', async () => {
  const rest = files.filter(({ name }) => !name.startsWith('samples'))
  const head = gzipSync('test_id,t_ms,gaze_x_px,gaze_y_px\n')
  const bomb = { name: 'samples.csv.gz', bytes: Buffer.concat([head, gzipOfSame('\n', 10)]) }
  expect(await refused('demo.tar.gz', tarGzOf([...rest, bomb]))).toMatch(/200 times its size/)
})

test('a bundle of 100,000 AOIs is refused', async () => {
  const { bytes } = files.find(({ name }) => name === 'study.json')!
  const study = JSON.parse(String(bytes))
  const aois = Array.from({ length: 100_000 }, (_, i) => ({
    id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    itemId: study.items[0].id,
    name: 'a',
    parts: [{ areaPoints: { topLeft: { xPx: 0, yPx: 0 }, bottomRight: { xPx: 1, yPx: 1 } } }],
  }))
  const many = files.map((file) =>
    file.name === 'study.json' ? { ...file, bytes: JSON.stringify({ ...study, aois }) } : file,
  )
  expect(await refused('demo.tar.gz', tarGzOf(many))).toMatch(/at most|problem/)
})
