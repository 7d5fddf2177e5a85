import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryPath } from '../files/layout.ts'
import type { Manifest, ParticipantColumns, SampleFile, StudyWrite } from '../model/study.ts'
import { PARTICIPANTS_FILE, TESTS_FILE, VALIDATIONS_FILE } from '../snapshot/table-columns.ts'
import type { Arrival } from './arrival.ts'
import { orderParticipants, orderTests } from './complete-tables.ts'
import { type LiveTables, type NewRows, noteRows, writeRows } from './live-tables.ts'
import { publishLayer, shareNew } from './publish-next.ts'
import { openShared } from './shared-files.ts'
import { type PlacedTest, writeArrived } from './write-arrived.ts'

/** Participants that come into a study together, and the writes that the history will tell of. */
type Group = { arrivals: Arrival[]; writes: StudyWrite[]; now: Date }

const ARRIVED = 'arrived.parquet'

/**
 * Publishes a study with more participants: their rows are one more layer and their samples one more file, all others are those of the
 * snapshot before. The study's lock is held, and its current snapshot is that of the tables.
 *
 * @throws ServiceError disk_full; whatever happens, the tables are of no use any more then
 */
export async function growStudy(
  studyDir: string,
  tables: LiveTables,
  group: Group,
  write: typeof writeGroup,
): Promise<Manifest> {
  const { manifest } = tables.snapshot
  const temporary = temporaryPath(studyDir, 'arrived')
  await openShared(studyDir)
  await mkdir(temporary)
  try {
    const placed = placeArrivals(tables, group)
    const { rows } = placed
    const { names, arrived } = await write(tables, placed, temporary)
    const paths = [...names, ...(arrived ? [arrived.name] : [])].map((name) => join(temporary, name))
    const sha256s = await shareNew(studyDir, paths)
    const shaOf = (name: string) => sha256s.get(join(temporary, name))
    const validations = shaOf(VALIDATIONS_FILE)
    const layer = {
      participants: shaOf(PARTICIPANTS_FILE)!,
      tests: shaOf(TESTS_FILE)!,
      ...(validations ? { validations } : {}),
    }
    const added = arrived ? [{ ...arrived, sha256: shaOf(arrived.name)! }] : []
    const sampleFiles = [...manifest.sampleFiles, ...added]
    const contents = { ...grown(manifest, group), columns: tables.columns, sampleFiles }
    tables.snapshot = await publishLayer(studyDir, tables.snapshot, contents, layer)
    noteRows(tables, rows)
    return tables.snapshot.manifest
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Writes a group's rows and samples. @returns the names of the tables, and the sample file, if it has one */
export async function writeGroup(
  tables: LiveTables,
  { rows, withSamples }: ReturnType<typeof placeArrivals>,
  directory: string,
): Promise<{ names: string[]; arrived: Omit<SampleFile, 'sha256'> | null }> {
  const names = await writeRows(tables, rows, directory)
  const { connection } = tables.db
  return {
    names,
    arrived: withSamples.length === 0 ? null : await writeArrived(connection, directory, ARRIVED, withSamples),
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

/** Returns a group's rows in the order of output, with where their samples will be, and the tests that have any. */
function placeArrivals(tables: LiveTables, { arrivals }: Group): { rows: NewRows; withSamples: PlacedTest[] } {
  const { study, manifest } = tables.snapshot
  const participants = orderParticipants(arrivals.map(({ participant }) => participant))
  const known = new Map(arrivals.flatMap(({ tests }) => tests).map((test) => [test.given.id, test]))
  const given = [...known.values()].map((test) => test.given)
  const file = manifest.sampleFiles.length
  let firstSample = 0
  const placed = orderTests(study, participants, given).map(({ id }) => {
    const test = known.get(id)!
    const place = { file, ordinal: tables.nextOrdinal++, firstSample }
    firstSample += test.samples.n
    return { test, place }
  })
  const rows = {
    participants,
    columns: columnsOf(arrivals),
    tests: placed.map(({ test }) => test.given),
    measured: placed.map(({ test }) => test.measured),
    places: placed.map(({ place }) => place),
    validations: arrivals.flatMap(({ validations }) => validations),
  }
  const withSamples = placed.filter(({ test }) => test.samples.n > 0)
  return { rows, withSamples: withSamples.map(({ test, place }) => ({ test, ordinal: place.ordinal })) }
}

function columnsOf(arrivals: Arrival[]): ParticipantColumns {
  return {
    hasTags: arrivals.some(({ columns }) => columns.hasTags),
    externalData: [...new Set(arrivals.flatMap(({ columns }) => columns.externalData))],
  }
}
