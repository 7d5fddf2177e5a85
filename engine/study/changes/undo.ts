import { ServiceError } from '../../model/errors.ts'
import { originOf } from '../../snapshot/snapshot-id.ts'
import type { Change } from '../change-study.ts'
import { undoable } from '../former-snapshot.ts'
import { loadParent } from '../parent-snapshot.ts'
import { rewritten, rowsOf, samplesKept } from '../rewrite-study.ts'

/** Reverts the last change of a study. @throws ServiceError conflict where that is not there */
export function undo(): Change {
  return {
    did: 'change undone',
    isTold: true,
    next: async ({ studyDir, held, id, now }, workspace) => {
      const former = id === null ? null : await undoable(studyDir, id, now, held?.isElsewhere)
      if (former === null)
        throw new ServiceError(
          'conflict',
          'the last change of the study cannot be undone: only the latest change within a day can be; adding or removing participants and deleting a study cannot',
        )
      const before = await loadParent(await held!.open(former.before))
      const origin = originOf(before.snapshot.manifest.bundle['study.json'], id, ['undone', former.before])
      return rewritten(rowsOf(before), samplesKept(before, before.given.tests, workspace), origin, workspace)
    },
  }
}
