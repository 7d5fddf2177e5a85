import type { z } from 'zod'
import type { ListedStudy } from '../../engine/snapshot/catalog.ts'
import type { StudySummary } from '../schemas/study.ts'

/** Returns what lists of studies say about one of them. */
export function studySummary(id: string, facts: ListedStudy): z.infer<typeof StudySummary> {
  const { snapshotId, createdAt, name, keywords, isArchived, project, pictureItemId, counts } = facts
  return {
    id,
    name,
    snapshot: snapshotId,
    changedAt: createdAt,
    keywords,
    isArchived,
    ...(project === undefined ? {} : { project }),
    ...(pictureItemId === undefined ? {} : { pictureItemId }),
    participantCount: counts.participants,
    itemCount: counts.items,
    testCount: counts.tests,
    sampleCount: counts.samples,
  }
}
