import { listOpenImports, tidyImports } from '../../engine/uploads/import-job.ts'
import { openUploads } from '../../engine/uploads/open-uploads.ts'
import { LEFT_BEHIND_MS, type ListedWork, READABLE_MS, type SweepParts } from '../tries/listed-work.ts'
import { promisedImport } from './run-import.ts'

/** Returns a function that lists imports, for a sweep. Uploads belong to them: one that an open import needs stays. */
export function listingImports({ config, records, objects, log }: SweepParts): () => Promise<ListedWork> {
  return async () => {
    const open = await listOpenImports(records)
    return {
      promised: open.map((job) => promisedImport(records, job)),
      expire: async () => {},
      tidy: async (now) => {
        const before = (ms: number) => new Date(now.getTime() - ms)
        await tidyImports(records, before(READABLE_MS), before(LEFT_BEHIND_MS))
        const keep = new Set(open.flatMap(({ request }) => request.uploads.map(({ id }) => id)))
        const removed = await openUploads(config.dataDir, objects).sweep(
          before(config.uploadTtlHours * 3_600_000),
          keep,
        )
        if (removed > 0) log.info({ files: removed }, 'uploads removed')
      },
    }
  }
}
