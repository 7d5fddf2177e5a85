import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeDemoBundle } from '../../demo/write-demo.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { endImport, type ImportEnd, noteIntent, readImport, requestImport } from '../../engine/uploads/import-job.ts'
import { newUploadId, uploadPath, uploadsDirectory, writeUploadFacts } from '../../engine/uploads/uploads.ts'
import { keptDirectory } from '../engine/kept.ts'
import { zipOf } from '../engine/uploads/archives.ts'
import { BACK_ENDS, end, says, until } from './back-ends.ts'

const root = await keptDirectory()
const bundle = join(root, 'bundle')
await writeDemoBundle({ directory: bundle, participants: 12, items: 3, seconds: 8, hz: 60, seed: 1, memoryMib: 256 })
const entries = await readdir(bundle, { recursive: true, withFileTypes: true })
const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
const files = paths.map(async (path) => ({ name: path.slice(bundle.length + 1), bytes: await readFile(path) }))
const packed = zipOf(await Promise.all(files))
const options = { append: false, dryRun: true, now: new Date(), threads: 1, memoryMib: 256 }
const expected = await importBundle({ dataDir: join(root, 'none'), directory: bundle, ...options })

/** A worker starts, and imports, within seconds on a machine at rest. */
const PATIENCE_MS = 100_000
const TOKEN_ID = '0123456789abcdef'

/** Writes an upload and a request for its import down, as a server does that dies before the queue has it. */
async function asked(dataDir: string, how: { append?: boolean } = {}): Promise<{ id: string; uploadId: string }> {
  const uploadId = newUploadId(TOKEN_ID)
  await mkdir(uploadsDirectory(dataDir), { recursive: true })
  await writeFile(uploadPath(dataDir, uploadId), packed)
  const createdAt = new Date().toISOString()
  const facts = { id: uploadId, size: packed.length, metadata: { filename: 'demo.zip' }, creation_date: createdAt }
  await writeUploadFacts(dataDir, facts)
  const uploads = [{ id: uploadId, name: 'demo.zip', sizeBytes: packed.length }]
  const about = { tokenId: TOKEN_ID, tokenName: 'lab', studyId: null, append: false, dryRun: false, ...how }
  const { id } = await requestImport(dataDir, { ...about, uploads, choices: {}, createdAt })
  return { id, uploadId }
}

async function startWorker(dataDir: string, url: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('process.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, dataDir, url], { stdio: ['ignore', 'pipe', 'pipe'] })
  // A test that fails before it has ended its worker leaves none behind.
  onTestFinished(() => void child.kill('SIGKILL'))
  await says(child, 'ready')
  return child
}

async function ended(dataDir: string, id: string): Promise<ImportEnd> {
  await until(async () => (await readImport(dataDir, id))?.end !== null, PATIENCE_MS)
  return (await readImport(dataDir, id))!.end!
}
const leftovers = async (dataDir: string) => {
  const study = await readdir(join(dataDir, 'studies', expected.studyId))
  const scratch = (await readdir(dataDir, { recursive: true })).filter((name) => /^intake-.*\/files/.test(name))
  return [...study.filter((name) => name !== 'current'), ...scratch]
}
/** Returns whether only one snapshot is left; false if a folder disappears while its parent is read. */
const isTidy = (dataDir: string) =>
  leftovers(dataDir).then(
    (left) => left.length === 1,
    () => false,
  )

for (const { name, missing, start } of BACK_ENDS) {
  describe.skipIf(missing)(`an import that a server wrote down and the ${name} queue does not know`, () => {
    it(
      name === 'embedded'
        ? 'is run; killed on the way, it leaves nothing half, and is published once'
        : 'is put back and run',
      async () => {
        const dataDir = await mkdtemp(join(root, 'data-'))
        const backEnd = await start()
        try {
          const { id, uploadId } = await asked(dataDir)
          for (const afterMs of name === 'embedded' ? [900] : []) {
            const worker = await startWorker(dataDir, backEnd.url)
            await new Promise((resolve) => setTimeout(resolve, afterMs))
            await end(worker, 'SIGKILL')
            const current = await openStudies(dataDir).currentId(expected.studyId)
            expect([null, expected.snapshotId]).toContain(current)
          }
          const worker = await startWorker(dataDir, backEnd.url)
          const { state, report, error } = await ended(dataDir, id)
          expect([state, error]).toEqual(['succeeded', null])
          expect(report).toMatchObject({ ...expected, published: true })
          await until(() => isTidy(dataDir), PATIENCE_MS)
          expect(await leftovers(dataDir)).toEqual([expected.snapshotId])
          // An imported upload stays for a while: the same files may be imported again with other choices.
          expect((await readdir(uploadsDirectory(dataDir))).sort()).toEqual([uploadId, `${uploadId}.json`])
          await end(worker, 'SIGTERM')
        } finally {
          await backEnd.stop()
        }
      },
      3 * PATIENCE_MS,
    )
  })
}

it(
  'an import that was killed right after it had published is told to have succeeded, and what it left goes',
  async () => {
    const dataDir = await mkdtemp(join(root, 'data-'))
    const options = { append: false, dryRun: false, now: new Date(), threads: 1, memoryMib: 256 }
    await importBundle({ dataDir, directory: bundle, ...options })
    const { id } = await asked(dataDir, { append: true })
    const { studyId, snapshotId } = expected
    await noteIntent(dataDir, id, { studyId, snapshotId, conversion: null, left: [], nothingNew: null })
    // Its folders, with locks of nobody; and another that had ended, with its upload.
    for (const folder of ['intake-1/files', 'intake-1/lock', `studies/${studyId}/lock`]) {
      const isLock = folder.endsWith('lock')
      await (isLock ? writeFile(join(dataDir, folder), '') : mkdir(join(dataDir, folder), { recursive: true }))
    }
    const { id: other } = await asked(dataDir, { append: true })
    const now = new Date().toISOString()
    await endImport(dataDir, other, { state: 'succeeded', report: null, error: null, startedAt: now, finishedAt: now })
    const worker = await startWorker(dataDir, '')
    const { state, report } = await ended(dataDir, id)
    await until(() => isTidy(dataDir), PATIENCE_MS)
    await end(worker, 'SIGTERM')
    expect([state, report?.snapshotId]).toEqual(['succeeded', expected.snapshotId])
    expect(await openStudies(dataDir).currentId(expected.studyId)).toBe(expected.snapshotId)
  },
  3 * PATIENCE_MS,
)
