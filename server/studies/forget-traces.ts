import type { Tokens } from '../../engine/access/tokens.ts'
import { namesOfParticipant } from '../../engine/snapshot/rows/list-participants.ts'
import type { StudyReader } from '../../engine/snapshot/snapshots.ts'
import type { RecordsAt } from '../../engine/storage/records.ts'
import { forgetImports } from '../../engine/uploads/import-job.ts'
import type { Uploads } from '../../engine/uploads/open-uploads.ts'

/**
 * Deletes everything outside a study's own files and jobs that names a participant, or may, before the participant is
 * removed: links to them, by id or name, and reports of imports into the study.
 */
export async function forgetTraces(
  { records, uploads, studies, tokens }: { records: RecordsAt; uploads: Uploads; studies: StudyReader; tokens: Tokens },
  studyId: string,
  participantId: string,
): Promise<void> {
  const snapshot = await studies.current(studyId)
  const names = snapshot === null ? [] : await namesOfParticipant(snapshot, participantId)
  await tokens.endLinks(studyId, [participantId, ...names])
  await forgetImports(records, uploads, studyId)
}
