import { startCompaction } from '../../worker/compaction.ts'
import type { Passes } from '../../worker/passes.ts'
import { startSweep } from '../../worker/sweep.ts'
import { startDeliveries } from '../../worker/webhooks/deliver.ts'

type Parts = Parameters<typeof startSweep>[0] &
  Parameters<typeof startCompaction>[0] &
  Parameters<typeof startDeliveries>[0]

/** Background work that no queue carries. `start` rejects if its settings are invalid. */
const KINDS = [startDeliveries, startSweep, startCompaction]

/** Starts the periodic passes (passes.ts). @throws ServiceError invalid_setting */
export function startBackground(parts: Parts): Pick<Passes, 'close'> {
  const begun = KINDS.map((start) => start(parts))
  return { close: async () => void (await Promise.all(begun.map(({ close }) => close()))) }
}
