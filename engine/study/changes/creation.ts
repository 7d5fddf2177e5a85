import { ServiceError } from '../../model/errors.ts'
import type { Study } from '../../model/study.ts'
import { originOf, sha256Of } from '../../snapshot/snapshot-id.ts'
import { NO_COLUMNS } from '../../snapshot/table-columns.ts'
import type { Change } from '../change-study.ts'
import { rewritten, samplesFrom } from '../rewrite-study.ts'

const NOTHING = {
  participants: [],
  tests: [],
  validations: [],
  events: [],
  columns: NO_COLUMNS,
  recordings: null,
  images: [],
}

/** Creates a study without participants. @throws ServiceError conflict when it is there already */
export function creation(study: Study): Change {
  return {
    did: 'study created',
    isTold: true,
    next: async ({ id, now }, workspace) => {
      if (id !== null) throw new ServiceError('conflict', `there is a study ${study.id} already`)
      // Not that of a study that was deleted.
      const origin = originOf(sha256Of(study), null, ['created', now.toISOString()])
      return rewritten({ study, ...NOTHING }, samplesFrom([], [], workspace), origin, workspace)
    },
  }
}
