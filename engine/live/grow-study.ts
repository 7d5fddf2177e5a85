import { createHash } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../files/durable.ts'
import { temporaryPath } from '../files/layout.ts'
import { orderParticipants, orderTests } from '../import/complete-tables.ts'
import { openShared, sharedPath } from '../import/shared-files.ts'
import type { Manifest, ParticipantColumns, SampleFile, StudyWrite } from '../model/study.ts'
import type { Arrival } from './arrival.ts'
import { addRows, type LiveTables } from './live-tables.ts'
import { publishTables } from './publish-tables.ts'
import { writeArrived } from './write-arrived.ts'

/** Participants that come into a study together, and the writes that the history will tell of. */
export type Group = { arrivals: Arrival[]; writes: StudyWrite[]; now: Date }

/**
 * Publishes a study with more participants: their samples are one more file, all others are those of the snapshot before. The
 * study's lock is held, and its current snapshot is that of the tables.
 *
 * @throws ServiceError disk_full; whatever happens, the tables are of no use any more then
 */
export async function growStudy(studyDir: string, tables: LiveTables, group: Group): Promise<Manifest> {
  const { manifest } = tables.snapshot
  const temporary = temporaryPath(studyDir, 'arrived')
  await openShared(studyDir)
  await mkdir(temporary)
  try {
    const added = await addArrivals(studyDir, temporary, tables, group)
    const sampleFiles = [...manifest.sampleFiles, ...(added ? [added] : [])]
    return await publishTables(studyDir, tables, { ...grown(manifest, group), sampleFiles })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Returns what the manifest says of the group. */
function grown({ counts, bundle }: Manifest, { arrivals, writes, now }: Group) {
  const sum = (of: (arrival: Arrival) => number) => arrivals.reduce((total, arrival) => total + of(arrival), 0)
  const contents = arrivals.map(({ participant, content }) => `${participant.id} ${content}`).join('\n')
  const added = createHash('sha256').update(contents).digest('hex')
  return {
    bundle: { 'study.json': bundle['study.json'], 'added participants': added },
    writes,
    now,
    counts: {
      participants: counts.participants + arrivals.length,
      completed: counts.completed + sum(({ participant }) => Number(participant.isCompleted)),
      items: counts.items,
      tests: counts.tests + sum(({ tests }) => tests.length),
      samples: counts.samples + sum(({ sampleCount }) => sampleCount),
    },
  }
}

const ARRIVED = 'arrived.parquet'

/** Adds a group's rows to the tables, and its samples to the shared files; null where it has none. */
async function addArrivals(
  studyDir: string,
  temporary: string,
  tables: LiveTables,
  { arrivals }: Group,
): Promise<SampleFile | null> {
  const { study, manifest } = tables.snapshot
  const participants = orderParticipants(arrivals.map(({ participant }) => participant))
  const known = new Map(arrivals.flatMap(({ tests }) => tests).map((test) => [test.given.id, test]))
  const ordered = orderTests(
    study,
    participants,
    [...known.values()].map(({ given }) => given),
  )
  const file = manifest.sampleFiles.length
  let firstSample = 0
  const placed = ordered.map((given) => {
    const test = known.get(given.id)!
    const place = { file, ordinal: tables.nextOrdinal++, firstSample }
    firstSample += test.samples.n
    return { test, place }
  })
  await addRows(tables, {
    participants,
    columns: columnsOf(arrivals),
    tests: ordered,
    measured: placed.map(({ test }) => test.measured),
    places: placed.map(({ place }) => place),
    validations: arrivals.flatMap(({ validations }) => validations),
  })
  const withSamples = placed.filter(({ test }) => test.samples.n > 0)
  if (withSamples.length === 0) return null
  const written = await writeArrived(
    tables.db.connection,
    temporary,
    ARRIVED,
    withSamples.map(({ test, place }) => ({ test, ordinal: place.ordinal })),
  )
  await rename(join(temporary, ARRIVED), sharedPath(studyDir, written.sha256))
  await syncDirectory(dirname(sharedPath(studyDir, written.sha256)))
  return written
}

function columnsOf(arrivals: Arrival[]): ParticipantColumns {
  return {
    hasTags: arrivals.some(({ columns }) => columns.hasTags),
    externalData: [...new Set(arrivals.flatMap(({ columns }) => columns.externalData))],
  }
}
