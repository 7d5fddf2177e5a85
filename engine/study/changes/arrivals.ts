import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Manifest, ParticipantColumns, SampleFile, StudyWrite } from '../../model/study.ts'
import { originAfter, sha256Of } from '../../snapshot/snapshot-id.ts'
import type { Arrival } from '../arrival.ts'
import type { Change, Next, Present } from '../change-study.ts'
import { orderParticipants, orderTests } from '../complete-tables.ts'
import { type LiveTables, type NewRows, noteRows, writeLayer } from '../live-tables.ts'
import { fillWithLayer, layerOf, shareNew } from '../share-study.ts'
import { openShared } from '../shared-files.ts'
import { type PlacedTest, writeArrived } from '../write-arrived.ts'

/** Participants who come into a study together, and what the history tells of each. */
export type ArrivedGroup = { tables: LiveTables; arrivals: Arrival[]; history: Partial<StudyWrite>[] }

const ARRIVED = 'arrived.parquet'

/**
 * Adds participants to a study: their rows are one more layer and their samples one more file, all others are those of
 * the snapshot before. If it fails, the tables are of no use any more.
 *
 * @param groupFor returns who may come in, with the tables of the study as it is now; null for nobody
 * @param after called once they are in, while nobody else changes the study
 */
export function arrivals(
  groupFor: (present: Present) => Promise<ArrivedGroup | null>,
  after: (published: Manifest, present: Present) => Promise<void>,
  write = writeGroup,
): Change {
  let note = (_published: Manifest) => {}
  return {
    did: 'participant added',
    isTold: false,
    next: async (present) => {
      const group = await groupFor(present)
      if (group === null) return null
      const placed = placeArrivals(group)
      const next = grown(group, placed, write)
      note = (published) => noteRows(group.tables, { ...placed.rows, columns: next.columns }, published)
      return next
    },
    after: async (published, present) => {
      if (published === null) return
      note(published)
      await after(published, present)
    },
  }
}

function grown({ tables, arrivals, history }: ArrivedGroup, placed: Placed, write: typeof writeGroup): Next {
  const { snapshot } = tables
  const { counts } = snapshot.manifest
  const sum = (of: (arrival: Arrival) => number) => arrivals.reduce((total, arrival) => total + of(arrival), 0)
  const contents = arrivals.map(({ participant, content }) => `${participant.id} ${content}`).join('\n')
  const events = (counts.events ?? 0) + placed.rows.events.length
  return {
    origin: originAfter(snapshot.manifest, 'added participants', sha256Of(contents)),
    counts: {
      participants: counts.participants + arrivals.length,
      completed: counts.completed + sum(({ participant }) => Number(participant.isCompleted)),
      items: counts.items,
      tests: counts.tests + sum(({ tests }) => tests.length),
      samples: counts.samples + sum(({ sampleCount }) => sampleCount),
      ...(events > 0 ? { events } : {}),
    },
    columns: mergeColumns(tables.columns, placed.rows.columns),
    history,
    fill: async (directory) => {
      const studyDir = dirname(directory)
      const aside = join(directory, '.arrived')
      await openShared(studyDir)
      await mkdir(aside)
      const { names, arrived } = await write(tables, placed, aside)
      const sha256s = await shareNew(studyDir, aside, [...names, ...(arrived ? [arrived.name] : [])])
      await rmdir(aside)
      const added = arrived ? [{ ...arrived, sha256: sha256s.get(arrived.name)! }] : []
      return fillWithLayer(
        directory,
        snapshot,
        added,
        layerOf((name) => sha256s.get(name)),
      )
    },
  }
}

/** Writes a group's rows and samples. @returns the names of the tables, and the sample file, if it has one */
export async function writeGroup(
  tables: LiveTables,
  { rows, withSamples }: Placed,
  directory: string,
): Promise<{ names: string[]; arrived: Omit<SampleFile, 'sha256'> | null }> {
  const names = await writeLayer(tables, rows, directory)
  const { connection } = tables.db
  return {
    names,
    arrived: withSamples.length === 0 ? null : await writeArrived(connection, directory, ARRIVED, withSamples),
  }
}

/** A group's rows in the order of output, with where their samples will be, and the tests that have any. */
type Placed = { rows: NewRows; withSamples: PlacedTest[] }

function placeArrivals({ tables, arrivals }: ArrivedGroup): Placed {
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
    events: placed.flatMap(({ test }) => test.events),
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

function mergeColumns(one: ParticipantColumns, other: ParticipantColumns): ParticipantColumns {
  const externalData = [...new Set([...one.externalData, ...other.externalData])].sort()
  return { hasTags: one.hasTags || other.hasTags, externalData }
}
