import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Snapshot } from '../../model/study.ts'
import { writeMerged } from '../../snapshot/merge-layers.ts'
import { originAfter, sha256Of } from '../../snapshot/snapshot-id.ts'
import { type GivenTest, NO_COLUMNS } from '../../snapshot/table-columns.ts'
import { layerFiles } from '../../snapshot/tables.ts'
import { syncDirectory } from '../../storage/files/durable.ts'
import { SHARED, sharedPath } from '../../storage/files/layout.ts'
import type { Change } from '../change-study.ts'
import { MERGED_CAUSE } from '../merged-snapshot.ts'
import type { WrittenSamples } from '../samples/write-samples.ts'
import { fillWithTables } from '../share-study.ts'
import { openShared } from '../shared-files.ts'

/** Sample files in the making: those of a snapshot that were chosen, with their tests, as they were merged. */
type Merged = { snapshot: Snapshot; chosen: number[]; tests: GivenTest[]; written: WrittenSamples }

/**
 * Replaces sample files with merged ones, and merges the tables. Does nothing if the study's files have changed
 * meanwhile.
 *
 * @param directory that the merged files are in
 */
export function merge(directory: string, { snapshot, chosen, tests, written }: Merged): Change {
  return {
    did: null,
    isTold: false,
    next: async (present) => {
      const current = await present.snapshot()
      const { sampleFiles, counts, participantColumns: columns = NO_COLUMNS } = current.manifest
      const old = new Set(chosen.map((index) => snapshot.manifest.sampleFiles[index].sha256))
      const kept = sampleFiles.filter(({ sha256 }) => !old.has(sha256))
      if (sampleFiles.length - kept.length !== chosen.length) return null
      const places = new Map(kept.map(({ sha256 }, to) => [sha256, to]))
      const moves = {
        // The kept ones move up, the merged ones come after them.
        files: new Map(
          sampleFiles.flatMap(({ sha256 }, from) => (places.has(sha256) ? [[from, places.get(sha256)!]] : [])),
        ),
        tests: tests.map(({ id: testId }, i) => ({
          testId,
          ...written.places[i],
          file: kept.length + written.places[i].file,
        })),
      }
      const merged = written.sampleFiles.map(({ sha256 }) => sha256).join('\n')
      const layers = layerFiles(current)
      const fill = async (into: string) => {
        const { studyDir } = present
        await openShared(studyDir)
        for (const { name, sha256 } of written.sampleFiles)
          await rename(join(directory, name), sharedPath(studyDir, sha256))
        await syncDirectory(join(studyDir, SHARED))
        const files = [...kept, ...written.sampleFiles]
        return fillWithTables(into, current, files, (tables) => writeMerged(current, layers, tables, moves))
      }
      return { origin: originAfter(current.manifest, MERGED_CAUSE, sha256Of(merged)), counts, columns, fill }
    },
  }
}
