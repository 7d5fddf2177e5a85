import { openDuckDb } from '../../../engine/store/duckdb.ts'
import { openStore } from '../../../engine/store/snapshots.ts'
import type { Participant, Snapshot, Study, Test } from '../../../engine/study.ts'
import { rowAt } from '../../../engine/table.ts'

/** A snapshot as its reader sees it: where its samples lie does not matter, what they are does. */
export type Contents = {
  study: Study
  participants: Participant[]
  tests: (Omit<Test, 'file' | 'ordinal'> & { samples: unknown[][] })[]
}

export async function currentSnapshot(dataDir: string, studyId: string): Promise<Snapshot> {
  const snapshot = await openStore(dataDir).current(studyId)
  if (snapshot === null) throw new Error('no such study')
  return snapshot
}

export async function contentsOf(dataDir: string, studyId: string): Promise<Contents> {
  return readContents(await currentSnapshot(dataDir, studyId))
}

export async function readContents({ study, tables, manifest, directory }: Snapshot): Promise<Contents> {
  const participants = Array.from({ length: tables.participants.length }, (_, i) =>
    rowAt<Participant>(tables.participants, i),
  )
  const tests = Array.from({ length: tables.tests.length }, (_, i) => rowAt<Test>(tables.tests, i))
  const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 256 })
  try {
    const files = await Promise.all(
      manifest.sampleFiles.map(async ({ name }) => {
        const reader = await db.connection.runAndReadAll('SELECT * FROM read_parquet($1, hive_partitioning = false)', [
          `${directory}/${name}`,
        ])
        return reader.getRows()
      }),
    )
    return {
      study,
      participants,
      tests: tests.map(({ file, ordinal, ...test }) => ({
        ...test,
        samples: (files[file] ?? []).filter((row) => row[0] === ordinal).map((row) => row.slice(1).map(plain)),
      })),
    }
  } finally {
    db.close()
  }
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : Number.isNaN(value) ? null : value
}
