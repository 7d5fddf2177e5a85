import type { Rolldown } from 'vite'

type Context = Rolldown.ChunkingContext
type Group = { name: (id: string, context: Context) => string | null; minShareCount?: number }

/**
 * Groups modules that several pages share into few chunks. `start` requests the others, and has the styles that most
 * pages need; `first` is what else every page needs, `common` what the list of studies and the page of a study need
 * besides, `figures` what the page of an item needs before its first chart, and `charts` the rest. Without groups, each set of pages that share a module has a chunk of its own, of which an
 * item's page requests fifty.
 */
export function chunkGroups(): Group[] {
  const isStart = importedBy((id, context) => context.getModuleInfo(id)?.isEntry === true)
  const isFirst = importedBy((id) => id.endsWith('/shell/main.tsx'))
  const isOfItem = importedBy((id) => id.endsWith('/pages/item/item-page.tsx'))
  const isAbove = importedBy((id) => /\/pages\/studies\/(studies|study)-page\.tsx$/.test(id))
  const isShared = (id: string, context: Context) =>
    /\/dashboard\/(core|ui|figures)\/|\/isomorphic\/|\/node_modules\//.test(id) &&
    context.getModuleInfo(id)?.dynamicImporters.length === 0
  const group = (name: string, minShareCount: number, has: (id: string, context: Context) => boolean): Group => ({
    name: (id, context) => (has(id, context) ? name : null),
    minShareCount,
  })
  // A group takes what its modules import with it, unless an earlier one has that.
  return [
    group(
      'start',
      1,
      (id, context) => isStart(id, context) || (id.endsWith('.css') && (isFirst(id, context) || isAbove(id, context))),
    ),
    group(
      'first',
      1,
      (id, context) => isFirst(id, context) && context.getModuleInfo(id)?.dynamicImporters.length === 0,
    ),
    group('common', 3, (id, context) => isShared(id, context) && isAbove(id, context)),
    group('figures', 2, (id, context) => isShared(id, context) && isOfItem(id, context)),
    group('charts', 3, isShared),
  ]
}

/** Returns whether a module is a root, or is imported by one before it runs, directly or by others. */
function importedBy(isRoot: (id: string, context: Context) => boolean) {
  return (id: string, context: Context): boolean => {
    const found = new Set([id])
    // Grows while it is walked.
    for (const each of found) {
      if (isRoot(each, context)) return true
      for (const importer of context.getModuleInfo(each)?.importers ?? []) found.add(importer)
    }
    return false
  }
}
