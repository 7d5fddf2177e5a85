import { openDuckDb, readParquet } from '../../../engine/duckdb/duckdb.ts'
import type { Participant, Snapshot, Study, Test } from '../../../engine/model/study.ts'
import { selectTests } from '../../../engine/snapshot/selection.ts'
import { openStudies } from '../../../engine/snapshot/snapshots.ts'
import { rowsOf } from '../studies.ts'

/** A snapshot as its reader sees it: where its samples lie does not matter, what they are does. */
type Contents = { study: Study; participants: Participant[]; tests: (Test & { samples: unknown[][] })[] }

export async function currentSnapshot(dataDir: string, studyId: string): Promise<Snapshot> {
  const snapshot = await openStudies(dataDir).current(studyId)
  if (snapshot === null) throw new Error('no such study')
  return snapshot
}

export async function contentsOf(dataDir: string, studyId: string): Promise<Contents> {
  return readContents(await currentSnapshot(dataDir, studyId))
}

async function readContents(snapshot: Snapshot): Promise<Contents> {
  const { study, manifest, directory } = snapshot
  const { tests, participants } = await rowsOf(snapshot)
  const { files, ordinals } = await selectTests(snapshot, { itemId: null, gradeMin: 1 })
  const db = await openDuckDb({ directories: [directory], threads: 1, memoryMib: 256 })
  try {
    const rows: unknown[][][] = []
    for (const { name } of manifest.sampleFiles) {
      const path = `${directory}/${name}`
      rows.push((await db.connection.runAndReadAll(`SELECT * FROM ${readParquet()}`, { path })).getRows())
    }
    return {
      study,
      participants,
      tests: tests.map((test, i) => ({
        ...test,
        samples: (rows[files[i]] ?? []).filter((row) => row[0] === ordinals[i]).map((row) => row.slice(1).map(plain)),
      })),
    }
  } finally {
    db.close()
  }
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}
