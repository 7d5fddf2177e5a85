import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '../../model/errors.ts'
import { originAfter, sha256Of } from '../../snapshot/snapshot-id.ts'
import type { GivenParticipant } from '../../snapshot/table-columns.ts'
import type { Change } from '../change-study.ts'
import { rewritten, rowsOf, samplesKept } from '../rewrite-study.ts'

/** Changes attributes of a participant. @throws ServiceError not_found */
export function attributes(participantId: string, given: Partial<GivenParticipant>): Change {
  return {
    did: 'participant changed',
    isTold: true,
    next: async (present, workspace) => {
      const parent = await present.parent()
      const rows = rowsOf(parent)
      const index = rows.participants.findIndex(({ id }) => id === participantId)
      if (index < 0) throw new ServiceError('not_found', `there is no participant ${participantId}`)
      const before = rows.participants[index]
      const after = { ...before, ...given }
      if (isDeepStrictEqual(after, before)) return null
      const participants = rows.participants.with(index, after)
      const origin = originAfter(parent.snapshot.manifest, 'changed participant', sha256Of(after))
      const samples = samplesKept(parent, rows.tests, workspace)
      return {
        ...rewritten({ ...rows, participants }, samples, origin, workspace),
        history: [{ participantId }],
        details: namesOf(before, after),
      }
    },
  }
}

const NAMES: Record<Exclude<keyof GivenParticipant, 'id' | 'externalData'>, string> = {
  externalId: 'external id',
  createdAt: 'time of creation',
  displayName: 'name',
  age: 'age',
  gender: 'gender',
  displayGender: 'gender',
  qualityGrade: 'quality grade',
  isCompleted: 'completed or not',
  notes: 'notes',
  tags: 'tags',
}

/** Names the attributes that differ; never their values, which are about a person. */
function namesOf(before: GivenParticipant, after: GivenParticipant): string[] {
  const names = (Object.keys(NAMES) as (keyof typeof NAMES)[])
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => NAMES[name])
  const [was, is] = [before.externalData, after.externalData]
  const own = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => was[name] !== is[name])
  return [...new Set([...names, ...own])]
}
