import { useEffect, useRef, useState } from 'preact/hooks'
import type { Aoi, Item } from '../../core/api.ts'
import { keepUnsaved } from '../../core/unsaved-aois.ts'
import { describePlace, type selectedPart } from './draft/draft.ts'
import type { Base } from './draft/use-saving.ts'

const SAID_AFTER_MS = 300

/** Announces actions to screen readers, debounced. */
export function useSaid(): [string, (text: string) => void] {
  const [said, setSaid] = useState('')
  const timer = useRef(0)
  const say = (text: string) => {
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => setSaid(text), SAID_AFTER_MS)
  }
  return [said, say]
}

/** Announces the position of the selected part whenever it has moved. */
export function useMoved(part: ReturnType<typeof selectedPart>, item: Item, say: (text: string) => void): void {
  const before = useRef(part)
  useEffect(() => {
    if (part !== null && before.current !== null && part !== before.current) say(`Now ${describePlace(part, item)}`)
    before.current = part
  }, [part])
}

/** Stores unsaved changes in this tab at once, and warns before the tab is closed. */
export function useLeaving(isChanged: boolean, studyId: string, itemId: string, base: Base, aois: Aoi[]): void {
  useEffect(() => {
    keepUnsaved(studyId, itemId, isChanged ? { snapshot: base.snapshot, base: base.aois, aois } : null)
    if (!isChanged) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isChanged, base, aois])
}

export function useKeys({ ask, step }: { ask: () => void; step: (way: 'undo' | 'redo') => void }): void {
  const now = useRef({ ask, step })
  now.current = { ask, step }
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase()
      const isTyping = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox'
      const isHere = document.querySelector('dialog[open]') === null
      if (!(event.ctrlKey || event.metaKey) || !isHere || (key !== 's' && isTyping)) return
      if (key === 's') now.current.ask()
      else if (key === 'z') now.current.step(event.shiftKey ? 'redo' : 'undo')
      else if (key === 'y') now.current.step('redo')
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
