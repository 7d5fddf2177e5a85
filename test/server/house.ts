import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, readConfig } from '../../engine/config.ts'
import { openJobs } from '../../engine/jobs/open-jobs.ts'
import { createPool } from '../../engine/pool.ts'
import { openDuckDb } from '../../engine/store/duckdb.ts'
import { FORMAT_VERSION, openStore } from '../../engine/store/snapshots.ts'
import { participantsToBytes, testsToBytes } from '../../engine/store/tables.ts'
import { openTokens } from '../../engine/store/tokens.ts'
import type { Participant, Study, Test } from '../../engine/study.ts'
import { VERSION } from '../../engine/version.ts'
import type { ServerParts } from '../../server/app.ts'
import { type RunningServer, startServer } from '../../server/listen.ts'
import { createLog } from '../../server/log.ts'
import { openQueue } from '../../worker/queue.ts'
import { startWorker } from '../../worker/worker.ts'

export const STUDY = '0a000000-0000-4000-8000-000000000001'
export const OTHER_STUDY = '0b000000-0000-4000-8000-000000000002'
export const ITEM = '1a000000-0000-4000-8000-000000000001'

/** A whole server in a directory of its own, on a free port, with the embedded queue. Nothing of it is made up. */
export type House = {
  url: string
  dataDir: string
  parts: ServerParts
  server: RunningServer
  /** What was logged, as JSON lines. */
  logged: string[]
  read: string
  ops: string
  /** May read STUDY alone. */
  narrow: string
  get: (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>
  close: () => Promise<void>
}

export async function openHouse(settings: Record<string, string> = {}, { hasWorker = false } = {}): Promise<House> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazette-server-'))
  await publishStudy(dataDir, STUDY, 'Café, naïve – 2')
  await publishStudy(dataDir, OTHER_STUDY, '研究')
  const config: Config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    ENGINE_THREADS: '1',
    DISK_FLOOR_MIB: '0',
    ...settings,
  })
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  const tokens = openTokens(dataDir)
  const now = new Date()
  const make = (role: 'read' | 'ops', studies: string[] | 'all') =>
    tokens.create({ role, studies, expiresAt: null, now }).then(({ token }) => token)
  const read = await make('read', 'all')
  const ops = await make('ops', 'all')
  const narrow = await make('read', [STUDY])
  const parts: ServerParts = {
    config,
    version: VERSION,
    store: openStore(dataDir),
    jobs: openJobs(dataDir),
    queue: await openQueue({ queueUrl: config.queueUrl, dataDir, onError: () => {} }),
    pool: createPool({ threads: 1 }),
    tokens,
    log,
  }
  const server = await startServer(parts)
  const worker = hasWorker ? await startWorker(parts) : null
  return {
    url: server.url,
    dataDir,
    parts,
    server,
    logged,
    read,
    ops,
    narrow,
    get: (path, headers = {}, method = 'GET') =>
      fetch(server.url + path, { method, headers: { 'x-auth-token': read, ...headers } }),
    close: async () => {
      await server.close(2000)
      await worker?.close(2000)
      await parts.queue.close()
      await parts.pool.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Waits until `check` gives something, at most half a minute. */
export async function until<T>(check: () => Promise<T | null | undefined | false>): Promise<T> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const found = await check()
    if (found) return found
    if (performance.now() > deadline) throw new Error('waited in vain')
    await sleep(25)
  }
}

const ADDED: Participant[] = [participant(1, true), participant(2, false)]

function participant(n: number, isCompleted: boolean): Participant {
  return {
    id: `2a000000-0000-4000-8000-00000000000${n}`,
    externalId: `p${n}`,
    createdAt: `2024-05-0${n}T10:00:00+02:00`,
    displayName: 'Anonymous',
    age: 30,
    gender: 0,
    displayGender: 'female',
    qualityGrade: 5,
    isCompleted,
    notes: '',
  }
}

/** A published snapshot: one item with an AOI, two participants who look at it for a second at 60 Hz. */
async function publishStudy(dataDir: string, studyId: string, name: string): Promise<void> {
  const samplesEach = 60
  const tests: Test[] = ADDED.map((_, i) => ({
    id: randomUUID(),
    itemIndex: 0,
    participantIndex: i,
    createdAt: `2024-05-0${i + 1}T10:00:01+02:00`,
    displayOrder: 1,
    durationUs: 1_000_000,
    finishedOnKey: '',
    hasFinishedOnClick: false,
    clickCount: 0,
    qualityGradeItem: 5,
    browserWidthPx: 1000,
    browserHeightPx: 1000,
    display: { leftPx: 0, topPx: 0, widthPx: 1000, heightPx: 1000 },
    notes: '',
    file: 0,
    ordinal: i,
    sampleCount: samplesEach,
  }))
  const study: Study = {
    id: studyId,
    name,
    isServiceBasicSurveyEnabled: false,
    steps: [{ type: 'countdown', durationMs: 3000, later: true }],
    items: [
      {
        id: ITEM,
        filename: 'a.png',
        cdnUrl: 'https://cdn.test/a.png',
        type: 'images',
        stimuliDurationMs: 1000,
        widthPx: 1000,
        heightPx: 1000,
      },
    ],
    aois: [
      {
        id: '3a000000-0000-4000-8000-000000000001',
        itemId: ITEM,
        name: 'left',
        parts: [{ areaPoints: { topLeft: { xPx: 0, yPx: 0 }, bottomRight: { xPx: 500, yPx: 1000 } } }],
      },
    ],
  }
  const snapshotId = createHash('sha256').update(studyId).digest('hex')
  const directory = join(dataDir, 'studies', studyId, snapshotId)
  await mkdir(directory, { recursive: true })
  const file = join(directory, 'samples-00000.parquet')
  const duckDb = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 128 })
  await duckDb.connection.run(
    `COPY (SELECT (i // ${samplesEach})::INTEGER AS test_ordinal, ((i % ${samplesEach}) * 16667)::DOUBLE AS t_us,
      (400 + i % 7)::DOUBLE AS gaze_x_px, (500 + i % 5)::DOUBLE AS gaze_y_px, 0::DOUBLE AS scroll_y_px,
      'NaN'::DOUBLE AS mouse_x_px, 'NaN'::DOUBLE AS mouse_y_px, false AS is_click
      FROM range(${samplesEach * tests.length}) t(i) ORDER BY i) TO '${file}' (FORMAT parquet, COMPRESSION uncompressed)`,
  )
  duckDb.close()
  const { table, pages } = testsToBytes(tests)
  const texts = {
    'study.json': JSON.stringify(study),
    'participants.table': participantsToBytes(ADDED),
    'tests.table': table,
    'tests.pages': pages,
  }
  for (const [fileName, text] of Object.entries(texts)) await writeFile(join(directory, fileName), text)
  const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
  const manifest = {
    formatVersion: FORMAT_VERSION,
    snapshotId,
    studyId,
    parentId: null,
    createdAt: '2024-05-03T00:00:00.000Z',
    counts: { participants: 2, items: 1, tests: 2, samples: samplesEach * tests.length },
    sampleFiles: [
      {
        name: 'samples-00000.parquet',
        rowCount: samplesEach * tests.length,
        sizeBytes: (await stat(file)).size,
        sha256: hashOf(await readFile(file)),
      },
    ],
    files: Object.fromEntries(Object.entries(texts).map(([fileName, text]) => [fileName, hashOf(text)])),
    bundle: {},
  }
  await writeFile(join(directory, 'manifest.json'), JSON.stringify(manifest))
  await writeFile(join(dataDir, 'studies', studyId, 'current'), snapshotId)
}
