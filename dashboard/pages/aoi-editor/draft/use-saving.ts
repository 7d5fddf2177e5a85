import { useRef, useState } from 'preact/hooks'
import {
  type Aoi,
  type ChangedDescription,
  forgetAll,
  getJson,
  type Item,
  type Problem,
  problemFrom,
  type Study,
  sendJson,
} from '../../../core/api.ts'
import { sameAois } from './compare-aois.ts'

/** AOIs on which the draft is based, with their snapshot. */
export type Base = { snapshot: string; aois: Aoi[] }

const TRIES = 3

/**
 * Saves AOIs with optimistic locking: only if the item's AOIs are still those of the base. If the study has only grown
 * meanwhile, it retries on the new snapshot; if somebody else has changed the same item, `theirs` holds their AOIs.
 */
export function useSaving(first: Study, item: Item, begun: Base | null) {
  const { study, base, now, rebase, refresh } = useBase(first, item, begun)
  const [theirs, setTheirs] = useState<Base | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)

  /** Sends AOIs. @returns the effect of the change; null if it failed, or somebody else was faster */
  const send = async (aois: Aoi[], isDryRun: boolean): Promise<ChangedDescription | null> => {
    const path = `/api2/studies/${first.id}/items/${item.id}/aois${isDryRun ? '?dryRun=true' : ''}`
    setProblem(null)
    for (let tried = 1; ; tried++) {
      try {
        const change = await sendJson<ChangedDescription>(path, 'PUT', aois, {
          'If-Match': `"${now.current.snapshot}"`,
        })
        if (isDryRun) return change
        rebase({ snapshot: change.snapshot, aois })
        await refresh()
        return change
      } catch (error) {
        const found = problemFrom(error)
        if (found.status !== 412 || tried === TRIES) {
          setProblem(found)
          return null
        }
      }
      const present = await refresh()
      if (present !== null && !sameAois(present.aois, now.current.aois)) {
        setTheirs(present)
        return null
      }
    }
  }
  return {
    study,
    base,
    theirs,
    problem,
    send,
    refresh,
    rebase,
    settle: () => setTheirs(null),
    forget: () => setProblem(null),
  }
}

/** Keeps the study, and the base of the draft; `now` holds the newest base also within an action. */
function useBase(first: Study, item: Item, begun: Base | null) {
  const [study, setStudy] = useState(first)
  const [base, setBase] = useState<Base>(begun ?? { snapshot: first.snapshot, aois: aoisOf(first, item) })
  const now = useRef(base)
  now.current = base
  const rebase = (next: Base) => {
    now.current = next
    setBase(next)
  }
  /** Reloads the study, and moves the base to it if the item's AOIs are unchanged. */
  const refresh = async (): Promise<Base> => {
    forgetAll()
    const fresh = await getJson<Study>(`/api2/studies/${first.id}`)
    setStudy(fresh)
    const found = { snapshot: fresh.snapshot, aois: aoisOf(fresh, item) }
    if (sameAois(found.aois, now.current.aois)) rebase(found)
    return found
  }
  return { study, base, now, rebase, refresh }
}

function aoisOf({ aois }: Pick<Study, 'aois'>, { id }: Pick<Item, 'id'>): Aoi[] {
  return aois.filter(({ itemId }) => itemId === id)
}
