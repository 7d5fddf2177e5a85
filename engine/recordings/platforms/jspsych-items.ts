import { nameUuid } from '../bundle/name-uuid.ts'
import { parsed } from './jspsych-windows.ts'

const PICTURE = /^[^<>\n]+\.(png|jpe?g|gif|svg|webp|bmp|avif|mp4|webm|ogv|mov)$/i
const PICTURES_IN_HTML = /<(?:img|video|image)\b[^>]*?\s(?:src|href)\s*=\s*["']?([^"'\s>]+)/gi
/** Fields of a trial that hold no part of the display. */
const NOT_SHOWN = /^(stimulus|response|choices|feedback|failed_|webgazer_|final_locations|mouse_events)/
const LONGEST = 200

/**
 * Names what a trial displayed: all its pictures together, in their order, since two next to each other are another display than one
 * of them; else its words; null where the trial says neither.
 */
export function displayName(trial: Record<string, unknown>): string | null {
  const shown = texts(trial.stimulus)
  const pictures = shown.flatMap((text) => [...text.matchAll(PICTURES_IN_HTML)].map(([, source]) => source))
  if (pictures.length > 0) return pictures.join(' + ')
  const words = shown.map(wordsOf).filter((text) => text !== '')
  if (words.length > 0) return shortened(words.join(' + '))
  const others = Object.entries(trial).flatMap(([name, value]) => (NOT_SHOWN.test(name) ? [] : texts(value)))
  const named = [...new Set(others.filter((text) => PICTURE.test(text)))]
  return named.length > 0 ? named.join(' + ') : null
}

/** Lists the texts of a field: one, or an array of them, which a CSV cell holds as JSON. */
function texts(value: unknown): string[] {
  const list = typeof value === 'string' && value.startsWith('[') ? (parsed(value) ?? value) : value
  return (Array.isArray(list) ? list : [list]).filter((one) => typeof one === 'string' && one !== '')
}

function wordsOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Shortens a text so that texts that begin alike stay different. */
function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… (${nameUuid(text).slice(0, 8)})`
}
