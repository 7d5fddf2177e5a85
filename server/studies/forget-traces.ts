import type { Tokens } from '../../engine/access/tokens.ts'
import { namesOfParticipant } from '../../engine/snapshot/rows/list-participants.ts'
import type { StudyReader } from '../../engine/snapshot/snapshots.ts'
import type { RecordsAt } from '../../engine/store/records.ts'
import { forgetImports } from '../../engine/uploads/import-job.ts'
import type { Uploads } from '../../engine/uploads/open-uploads.ts'

/**
 * Deletes what names a participant, or may, outside the study's own files and jobs, before the participant is removed:
 * links that lead to them, by id or by name, and the reports of imports into the study.
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
