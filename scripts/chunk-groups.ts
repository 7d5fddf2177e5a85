import type { Rolldown } from 'vite'

type Context = Rolldown.ChunkingContext
type Group = { name: (id: string, context: Context) => string | null; minShareCount?: number }

/**
 * Groups modules into few chunks: one of all that the first page imports before it runs, one of what several pages
 * draw. Without groups, each set of pages that share a module has a chunk of its own, of which an item's page
 * requests fifty.
 */
export function chunkGroups(): Group[] {
  const known = new Map<string, boolean>()
  const isFirst = (id: string, context: Context): boolean => {
    const before = known.get(id)
    if (before !== undefined) return before
    // A circle of imports is not entered twice.
    known.set(id, false)
    const info = context.getModuleInfo(id)
    const is = info !== null && (info.isEntry || info.importers.some((importer) => isFirst(importer, context)))
    known.set(id, is)
    return is
  }
  return [
    { name: (id, context) => (isFirst(id, context) ? 'first' : null) },
    {
      name: (id) => (/\/dashboard\/(core|ui|figures)\/|\/node_modules\//.test(id) ? 'figures' : null),
      minShareCount: 3,
    },
  ]
}
