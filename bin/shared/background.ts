import { startCompaction } from '../../worker/compaction.ts'
import type { Passes } from '../../worker/passes.ts'
import { startSweep } from '../../worker/sweep.ts'
import { startDeliveries } from '../../worker/webhooks/deliver.ts'

type Parts = Parameters<typeof startSweep>[0] &
  Parameters<typeof startCompaction>[0] &
  Parameters<typeof startDeliveries>[0]

/**
 * Work that no queue carries, on a data directory; in a store nothing is merged, and no webhook is told. The first may
 * refuse its settings.
 */
const ON_DISK = [startDeliveries, startSweep, startCompaction]
const IN_STORE = [startSweep]

/** Starts what looks for its work itself (passes.ts). @throws ServiceError invalid_setting */
export function startBackground(parts: Parts): Pick<Passes, 'close'> {
  const begun = (parts.config.storeUrl === '' ? ON_DISK : IN_STORE).map((start) => start(parts))
  return { close: async () => void (await Promise.all(begun.map(({ close }) => close()))) }
}
