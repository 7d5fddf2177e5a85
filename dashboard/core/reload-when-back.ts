import { retrying } from './try-again.ts'

/** Remembers when a page was last reloaded by itself. */
const RELOADED = 'gazette-reloaded'
/** Time after which a page may be reloaded by itself again: code that stays away would be asked for again and again. */
const APART_MS = 60_000

const AWAY = { status: 0, title: '', detail: '', type: null }

/**
 * Reloads the page once the server answers again, since browsers cache that a module failed to load; not while somebody
 * is typing, and not soon after it did so before.
 *
 * @returns ends it
 */
export function reloadWhenBack(): () => void {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) < APART_MS) return () => {}
  let isEnded = false
  const look = async () => {
    const isBack = await fetch('/healthz', { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isEnded) return
    if (!isBack || document.activeElement?.matches('input, textarea, select')) return retries.after(AWAY)
    sessionStorage.setItem(RELOADED, String(Date.now()))
    location.reload()
  }
  const retries = retrying(() => void look())
  void look()
  return () => {
    isEnded = true
    retries.stop()
  }
}
