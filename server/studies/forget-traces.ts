import type { Tokens } from '../../engine/access/tokens.ts'
import { forgetImports } from '../../engine/intake/import-job.ts'
import type { Uploads } from '../../engine/intake/open-uploads.ts'
import { namesOfParticipant } from '../../engine/snapshot/rows/list-participants.ts'
import type { Store } from '../../engine/snapshot/snapshots.ts'
import type { RecordsAt } from '../../engine/store/records.ts'

/**
 * Deletes what names a participant, or may, outside the study's own files and jobs, before the participant is removed:
 * links that lead to them, by id or by name, and the reports of imports into the study.
 */
export async function forgetTraces(
  { records, uploads, store, tokens }: { records: RecordsAt; uploads: Uploads; store: Store; tokens: Tokens },
  studyId: string,
  participantId: string,
): Promise<void> {
  const snapshot = await store.current(studyId)
  const names = snapshot === null ? [] : await namesOfParticipant(snapshot, participantId)
  await tokens.endLinks(studyId, [participantId, ...names])
  await forgetImports(records, uploads, studyId)
}
