import { cutName, joinedNames } from '../reader/joined-names.ts'
import { parsed } from './jspsych-windows.ts'

const PICTURE = /^[^<>\n]+\.(png|jpe?g|gif|svg|webp|bmp|avif|mp4|webm|ogv|mov)$/i
/** Matches the tag of a picture, and its source. */
const SOURCE = /^<(?:img|video|image)\b[^>]*?\s(?:src|href)\s*=\s*["']?([^"'\s>]+)/i
/** Fields of a trial that are not part of the display. */
const NOT_SHOWN = /^(stimulus|response|choices|feedback|failed_|webgazer_|final_locations|mouse_events)/
const LONGEST_WORDS = 200

/**
 * Names the display of a trial: by all its pictures together, in order, since two pictures side by side are another
 * display than one of them; otherwise by its words; null if the trial has neither.
 */
export function displayName(trial: Record<string, unknown>): string | null {
  const shown = texts(trial.stimulus)
  const pictures = shown.flatMap(sourcesIn)
  if (pictures.length > 0) return joinedNames(pictures)
  const words = shown.map(wordsOf).filter((text) => text !== '')
  if (words.length > 0) return cutName(words.join(' + '), LONGEST_WORDS)
  const others = Object.entries(trial).flatMap(([name, value]) => (NOT_SHOWN.test(name) ? [] : texts(value)))
  const named = [...new Set(others.filter((text) => PICTURE.test(text)))]
  return named.length > 0 ? joinedNames(named) : null
}

/** Lists the texts of a field: one, or an array of them, which a CSV cell holds as JSON. */
function texts(value: unknown): string[] {
  const list = typeof value === 'string' && value.startsWith('[') ? (parsed(value) ?? value) : value
  return (Array.isArray(list) ? list : [list]).filter((one) => typeof one === 'string' && one !== '')
}

function wordsOf(html: string): string {
  const { words } = splitHtml(html)
  return words.join(' ').replace(/\s+/g, ' ').trim()
}

function sourcesIn(html: string): string[] {
  return splitHtml(html).tags.flatMap((tag) => SOURCE.exec(tag)?.[1] ?? [])
}

/**
 * Splits HTML into tags and the text between them, in one pass: a pattern would search for the end of each `<` again.
 */
function splitHtml(html: string): { tags: string[]; words: string[] } {
  const tags: string[] = []
  const words: string[] = []
  let at = 0
  for (;;) {
    const start = html.indexOf('<', at)
    const end = start < 0 ? -1 : html.indexOf('>', start)
    if (end < 0) break
    words.push(html.slice(at, start))
    tags.push(html.slice(start, end + 1))
    at = end + 1
  }
  return { tags, words: [...words, html.slice(at)] }
}
