import type { Screen } from '../reader/reader.ts'
import { parseBounded } from '../text/json-objects.ts'

/** A size and its source: the window, an element that fills it, or only the screen. */
export type Sized = { size: Screen; of: 'window' | 'element' | 'screen' }

const WINDOW = /(inner|window|viewport|client|browser)(inner)?(w|h|width|height)$/
const SCREEN = /screen(w|h|width|height)$/
/** Longest name of a field; longer keys are not names. */
const FIELD_NAME_MAX = 100
const FILLING = /^(#?screen|#?window|body|html)$/i

/** Finds the window size during a trial, in the data that the experiment saved with it; null if there is none. */
export function windowSizeIn(trial: Record<string, unknown>): Sized | null {
  if (trial.trial_type === 'browser-check') {
    const size = sizeOf(trial.width, trial.height)
    if (size) return { size, of: 'window' }
  }
  const fields = Object.entries(trial).flatMap(([name, value]) => fieldsOf(name, value))
  const window = sizeNamed(fields, WINDOW)
  if (window) return { size: window, of: 'window' }
  const element = sizeOfTarget(parsed(trial.webgazer_targets))
  if (element) return { size: element, of: 'element' }
  const screen = sizeNamed(fields, SCREEN)
  return screen && { size: screen, of: 'screen' }
}

/**
 * Chooses the more reliable of two sizes: a trial's own window size takes precedence over that of other trials; the
 * size of the screen is the last resort.
 */
export function bestSize(own: Sized | null, known: Sized | null): Sized | null {
  if (own && own.of !== 'screen') return own
  if (known && known.of !== 'screen') return known
  return own ?? known
}

/** Lists a field, or those of the object in it, which a CSV cell holds as JSON. */
function fieldsOf(name: string, value: unknown): [string, unknown][] {
  if (name.length > FIELD_NAME_MAX) return []
  const held = typeof value === 'string' && value.startsWith('{') ? parsed(value) : value
  const isPlain = held !== null && typeof held === 'object' && !Array.isArray(held) && !name.startsWith('webgazer')
  if (!isPlain) return [[name, value]]
  const inner = Object.entries(held).filter(([innerName]) => innerName.length <= FIELD_NAME_MAX)
  return inner.map(([innerName, one]) => [name + innerName, one])
}

function sizeNamed(fields: [string, unknown][], pattern: RegExp): Screen | null {
  const found = { w: undefined as unknown, h: undefined as unknown }
  for (const [name, value] of fields) {
    const match = pattern.exec(name.toLowerCase().replace(/[^a-z]/g, ''))
    if (match) found[match.at(-1)![0] as 'w' | 'h'] ??= value
  }
  return sizeOf(found.w, found.h)
}

function sizeOfTarget(targets: unknown): Screen | null {
  for (const [selector, target] of Object.entries(targets ?? {})) {
    if (!FILLING.test(selector) || !target || target.left !== 0 || target.top !== 0) continue
    return sizeOf(target.width, target.height)
  }
  return null
}

function sizeOf(width: unknown, height: unknown): Screen | null {
  const [widthPx, heightPx] = [Number(width), Number(height)]
  return widthPx >= 1 && heightPx >= 1 ? { widthPx, heightPx } : null
}

/** Parses a cell's JSON; undefined if it is not JSON, or holds too much. */
export function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (parseBounded(value) ?? undefined) : value
}
