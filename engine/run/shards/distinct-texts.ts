import { randomInt } from 'node:crypto'
import type { Texts } from '../../formats/encoder.ts'
import { grow, growing } from '../../formats/growing.ts'

/** Random seed of the hash, so that nobody can craft texts that collide. */
const SEED = randomInt(2 ** 31)

/**
 * Deduplicates texts by their bytes: a map of strings would take several times the memory for the ids of all tests of a
 * large study.
 *
 * @returns the texts in the order of their first use, and a function that returns the index of a text and adds it if it
 *   is new
 */
export function distinctTexts(): { texts: Texts; codeOf: (text: string) => number } {
  const texts: Texts = { bytes: growing(Uint8Array), ends: growing(Int32Array) }
  /** Hash table of codes, from 1 on; 0 for none. Its size is a power of two, at most half full. */
  let slots = new Int32Array(512)

  function codeOf(text: string): number {
    const start = texts.bytes.length
    utf8.encodeInto(text, grow(texts.bytes, Buffer.byteLength(text)))
    const end = texts.bytes.length
    const slot = slotOf(start, end)
    if (slots[slot] > 0) {
      texts.bytes.length = start
      return slots[slot] - 1
    }
    grow(texts.ends, 1)[0] = end
    slots[slot] = texts.ends.length
    if (2 * texts.ends.length > slots.length) doubleSlots()
    return texts.ends.length - 1
  }

  /** Returns the slot with the same bytes, or the free slot for them. */
  function slotOf(start: number, end: number): number {
    let slot = hash(texts.bytes.values, start, end) & (slots.length - 1)
    while (slots[slot] > 0 && !isText(slots[slot] - 1, start, end)) slot = (slot + 1) & (slots.length - 1)
    return slot
  }

  function isText(code: number, start: number, end: number): boolean {
    const [from, to] = [startOf(code), texts.ends.values[code]]
    if (to - from !== end - start) return false
    const bytes = texts.bytes.values
    for (let i = 0; i < end - start; i++) if (bytes[from + i] !== bytes[start + i]) return false
    return true
  }

  function startOf(code: number): number {
    return code === 0 ? 0 : texts.ends.values[code - 1]
  }

  function doubleSlots(): void {
    slots = new Int32Array(2 * slots.length)
    for (let code = 0; code < texts.ends.length; code++)
      slots[slotOf(startOf(code), texts.ends.values[code])] = code + 1
  }

  return { texts, codeOf }
}

const utf8 = new TextEncoder()

/** Hashes bytes with FNV-1a. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let h = SEED
  for (let i = start; i < end; i++) h = Math.imul(h ^ bytes[i], 0x01000193)
  return h ^ (h >>> 15)
}
