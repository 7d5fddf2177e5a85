import type { Aoi } from './api.ts'

const STORED = 'gazette-aois'

/** Unsaved draft of an item's AOIs, kept in this tab: it survives a reload and the end of a session. */
type Unsaved = { snapshot: string; base: Aoi[]; aois: Aoi[] }

export function readUnsaved(studyId: string, itemId: string): Unsaved | null {
  try {
    return JSON.parse(sessionStorage.getItem(`${STORED} ${studyId} ${itemId}`) ?? 'null') as Unsaved | null
  } catch {
    return null
  }
}

/** Stores or removes the draft of an item's AOIs. @param unsaved null once it is saved or discarded */
export function keepUnsaved(studyId: string, itemId: string, unsaved: Unsaved | null): void {
  const name = `${STORED} ${studyId} ${itemId}`
  try {
    if (unsaved === null) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, JSON.stringify(unsaved))
  } catch {
    // Storage is full or forbidden: a reload would lose the draft, and the browser warns about that.
  }
}

/** Lists the items with an unsaved draft of AOIs in this tab. @param names keys of the storage */
export function unsavedItems(names: string[] = storedNames()): { studyId: string; itemId: string }[] {
  return names.flatMap((name) => {
    const [stored, studyId, itemId, ...rest] = name.split(' ')
    return stored === STORED && studyId && itemId && rest.length === 0 ? [{ studyId, itemId }] : []
  })
}

function storedNames(): string[] {
  try {
    return Object.keys(sessionStorage)
  } catch {
    return []
  }
}
