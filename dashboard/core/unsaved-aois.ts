import type { Aoi } from './api.ts'

const STORED = 'gazette-aois'

/** An unsaved draft of the AOIs of an item, kept in this tab: it outlives a reload, and a session that ends. */
type Unsaved = { snapshot: string; base: Aoi[]; aois: Aoi[] }

export function readUnsaved(studyId: string, itemId: string): Unsaved | null {
  try {
    return JSON.parse(sessionStorage.getItem(`${STORED} ${studyId} ${itemId}`) ?? 'null') as Unsaved | null
  } catch {
    return null
  }
}

/** @param unsaved null once it is saved or dropped */
export function keepUnsaved(studyId: string, itemId: string, unsaved: Unsaved | null): void {
  const name = `${STORED} ${studyId} ${itemId}`
  try {
    if (unsaved === null) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, JSON.stringify(unsaved))
  } catch {
    // There is no room, or storing is forbidden: then a reload loses it, which the browser asks about.
  }
}

/** Lists the items whose AOIs have an unsaved draft in this tab. @param names of what is stored */
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
