import { compareNames } from '../../isomorphic/natural-order.ts'
import type { StudySummary } from './api.ts'

/** Orders of the list of studies, by their names in the address; the first is the default. */
export const STUDY_ORDERS = { name: 'Name', changed: 'Last change', participants: 'Participants', samples: 'Samples' }
type StudyOrder = keyof typeof STUDY_ORDERS

const COMPARE: Record<StudyOrder, (a: StudySummary, b: StudySummary) => number> = {
  name: () => 0,
  changed: (a, b) => Date.parse(b.changedAt) - Date.parse(a.changedAt),
  participants: (a, b) => b.participantCount - a.participantCount,
  samples: (a, b) => b.sampleCount - a.sampleCount,
}

/** Returns the names of the projects of studies, in order. */
export function projectsOf(studies: StudySummary[]): string[] {
  return [...new Set(studies.flatMap(({ project }) => project ?? []))].sort(compareNames)
}

/** Returns the studies whose name, id or keywords contain a text, sorted; ties are sorted by name. */
export function arrangeStudies(studies: StudySummary[], find: string, order: StudyOrder): StudySummary[] {
  const wanted = find.trim().toLowerCase()
  const found = studies.filter(({ name, id, keywords }) =>
    [name, id, ...keywords].join('\n').toLowerCase().includes(wanted),
  )
  return found.sort((a, b) => COMPARE[order](a, b) || compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1))
}
