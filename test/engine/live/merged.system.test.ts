import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makePlan } from '../../../engine/exports/make-plan.ts'
import { importBundle } from '../../../engine/import/import-bundle.ts'
import { openRemoteJobs } from '../../../engine/jobs/bucket/remote-jobs.ts'
import { openJobs } from '../../../engine/jobs/open-jobs.ts'
import { readArrival } from '../../../engine/live/arrivals/read-arrival.ts'
import { openLiveStudies } from '../../../engine/live/live-studies.ts'
import { withAois } from '../../../engine/live/read-description.ts'
import { FORMAT_NAMES } from '../../../engine/model/format-names.ts'
import { defaultParameters } from '../../../engine/model/parameters.ts'
import type { Snapshot, Study } from '../../../engine/model/study.ts'
import { runExport } from '../../../engine/run/run-export.ts'
import { openStudies, type Studies } from '../../../engine/snapshot/snapshots.ts'
import { openScratch } from '../../../engine/storage/files/scratch.ts'
import { openDirectory } from '../../../engine/storage/objects/directory-objects.ts'
import { openFileCache } from '../../../engine/storage/objects/file-cache.ts'
import { bucketPlace } from '../../../engine/study/bucket/bucket-place.ts'
import { openRemote } from '../../../engine/study/bucket/open-remote.ts'
import { changeStudy } from '../../../engine/study/change-study.ts'
import { creation } from '../../../engine/study/changes/creation.ts'
import { description } from '../../../engine/study/changes/description.ts'
import { compactStudy } from '../../../engine/study/compact/compact-study.ts'
import { directoryPlace, type StudyPlace } from '../../../engine/study/place.ts'
import { bundleTables, idOf, participantOf } from '../../server/participants.ts'
import { writeBundle } from '../import/bundles.ts'
import { keptDirectory, keptPool } from '../kept.ts'

/** A study in a directory or in objects, to which participants come one by one, and which is described anew. */
type There = { dataDir: string; place: StudyPlace; studies: Studies; close: () => Promise<void> }
const root = await keptDirectory()
const pool = keptPool()

const ITEMS = [0, 1].map((i) => ({
  id: idOf(`item ${i}`),
  filename: `${i}.png`,
  cdnUrl: '',
  type: 'images',
  stimuliDurationMs: 2000,
  widthPx: 1000,
  heightPx: 800,
}))
const EMPTY = { id: idOf('merged'), name: 'Merged', isServiceBasicSurveyEnabled: false, steps: [], items: ITEMS }
const BOX = { topLeft: { xPx: 300, yPx: 200 }, bottomRight: { xPx: 450, yPx: 350 } }
const DRAWN = withAois(
  { ...EMPTY, aois: [] },
  ITEMS[0].id,
  Buffer.from(JSON.stringify([{ id: idOf('aoi'), name: 'Box', parts: [{ areaPoints: BOX }] }])),
)
const MAKING = { threads: 1, memoryMib: 256 }
/** Together more than one sample file of an import. */
const SENT = [0, 1, 2, 3, 4, 5].map((n) =>
  participantOf(
    n,
    ITEMS.map(({ id }) => id),
    11_000,
  ),
)

async function importedAtOnce(): Promise<Snapshot> {
  const directory = await writeBundle(join(root, 'bundle'), { study: DRAWN, ...bundleTables(SENT) })
  const dataDir = join(root, 'imported')
  await importBundle({ dataDir, directory, append: false, dryRun: false, now: new Date(), ...MAKING })
  return (await openStudies(dataDir).current(EMPTY.id))!
}

/** The SHA-256 of some exports in each format, as if all snapshots had one id, which some formats name. */
async function hashes(snapshot: Snapshot): Promise<string[]> {
  const found: string[] = []
  for (const format of FORMAT_NAMES)
    for (const exportName of ['fixations', 'quality-stats'] as const) {
      const hash = createHash('sha256')
      const made = makePlan({ snapshot, exportName, parameters: defaultParameters(), formulaGuard: true, format })
      const plan = { ...made, snapshotId: '0'.repeat(64) }
      const signal = new AbortController().signal
      for await (const { bytes } of runExport({ plan, snapshot, pool, signal, gzip: false })) hash.update(bytes)
      found.push(`${exportName} ${format} ${hash.digest('hex')}`)
    }
  return found
}

async function inDirectory(): Promise<There> {
  const dataDir = join(root, 'directory')
  return { dataDir, place: directoryPlace(dataDir), studies: openStudies(dataDir), close: async () => {} }
}

async function inObjects(): Promise<There> {
  const dataDir = join(root, 'beside')
  const store = openDirectory(join(root, 'objects'))
  const cache = await openFileCache(join(root, 'cache'), 1e9)
  const place = bucketPlace(store, () => openScratch(dataDir), { jobs: () => openRemoteJobs(store), webhooks: dataDir })
  const close = async () => {
    await place.close()
    await cache.close()
  }
  return { dataDir, place, studies: openRemote(store, cache), close }
}
const expected = await hashes(await importedAtOnce())

test.each([
  ['a directory', inDirectory],
  ['a bucket', inObjects],
])(
  'in %s, a study that grew and was described anew is merged, to the bytes of one import in every format',
  async (_, open) => {
    const { dataDir, place, studies, close } = await open()
    const changing = { dataDir, place, studyId: EMPTY.id, ...MAKING }
    await changeStudy(changing, null, creation({ ...EMPTY, aois: [] } as Study))
    const live = openLiveStudies({ dataDir, place, jobs: openJobs(dataDir), memoryMib: 256 })
    for (const sent of SENT)
      await live.add(EMPTY.id, readArrival(Buffer.from(JSON.stringify(sent)), 'json'), {
        tokenId: 'someone',
        key: null,
      })
    await live.close()
    await changeStudy(
      changing,
      null,
      description(
        () => DRAWN,
        () => {},
      ),
    )
    const before = (await studies.current(EMPTY.id))!
    expect(before.manifest.layers).toBeUndefined()
    expect(before.manifest.sampleFiles).toHaveLength(6)
    // It has been quiet.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    const merging = compactStudy({ ...changing, now: new Date(), signal: new AbortController().signal })
    expect(await merging.finally(vi.useRealTimers)).toEqual({ from: 6, to: 2 })
    expect(await hashes((await studies.current(EMPTY.id))!)).toEqual(expected)
    await close()
  },
)
