import type { Problem } from './problem.ts'

/**
 * Returns the problem that a part of the program could not be loaded. Browsers cache that a module failed to load, so a
 * retry needs a reload of the page.
 *
 * @param title what could not be loaded, as a sentence without its full stop
 * @param then what to do, or what happens then, as such a sentence, too
 */
export function missingCode(title: string, then = 'Reload the page'): Problem {
  return {
    status: 0,
    title,
    detail: `The server may have stopped, its version may have changed since you opened Gazette, or the network may be down. ${then}; your unsaved AOIs are kept.`,
    type: null,
  }
}
