import { studyDirectory } from '../files/layout.ts'
import { addProblem, type Report, throwReport } from '../model/bundle-problems.ts'
import { type Origin, snapshotIdOf } from '../snapshot/snapshot-id.ts'
import { orderTests } from '../study/complete-tables.ts'
import { relinkSnapshot } from '../study/make-snapshot.ts'
import { mergeImages, type Parent } from '../study/parent-snapshot.ts'
import { inWorkshop } from '../study/scratch-space.ts'
import { checkUnchanged, countedImages, hashBundle } from './bundle/bundle.ts'
import type { StudyRead } from './bundle/study-json.ts'
import type { Importing, ImportResult } from './import-options.ts'

/**
 * Imports a directory with study.json alone: other flow, items and AOIs over the same samples. The snapshot gets the id
 * that it would have got, had the study been imported like that at first. Pictures are kept, or replaced by those in
 * the directory.
 */
export async function importStudyAlone(
  importing: Importing,
  { study }: StudyRead,
  parent: Parent,
  report: Report,
): Promise<ImportResult> {
  const { snapshot, given } = parent
  if (study) {
    const shown = new Map<string, number>()
    for (const { itemId } of given.tests) shown.set(itemId, (shown.get(itemId) ?? 0) + 1)
    for (const { id } of study.items) shown.delete(id)
    for (const [id, count] of shown) {
      const rule = `must hold every item that tests show, and ${count} show this one`
      addProblem(report.study, { file: 'study.json', line: null, column: 'items', value: id, rule })
    }
  }
  throwReport(report)
  const { dataDir, dryRun, files, now, threads, memoryMib, limits, signal, beforePublish, write } = importing
  const { bundle, parentId } = snapshot.manifest
  const origin: Origin = {
    bundle: { ...bundle, ...(await hashBundle(files, countedImages(files, study!), limits, signal)) },
    parentId,
  }
  await checkUnchanged(files)
  const snapshotId = snapshotIdOf(origin)
  const counts = { ...snapshot.manifest.counts, items: study!.items.length }
  const result = { studyId: study!.id, snapshotId, counts }
  if (snapshotId === snapshot.id) return { ...result, published: false }
  await beforePublish?.({ studyId: study!.id, snapshotId, replacedId: snapshot.id })
  if (dryRun) return { ...result, published: false }
  const studyDir = studyDirectory(dataDir, study!.id)!
  const newSnapshot = {
    studyDir,
    study: study!,
    participants: given.participants,
    validations: given.validations,
    participantColumns: snapshot.manifest.participantColumns,
    recordings: parent.recordings,
    tests: orderTests(study!, given.participants, given.tests),
    origin,
    images: mergeImages(snapshot, files, study!),
    createdAt: now.toISOString(),
    writes: write ? [write] : [],
  }
  await inWorkshop({ studyDir, reads: [], threads, memoryMib, spillMaxBytes: limits.maxBytes, signal }, (workshop) =>
    relinkSnapshot(newSnapshot, parent, workshop),
  )
  return { ...result, published: true }
}
