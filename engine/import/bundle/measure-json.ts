const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const OPEN = new Set([91, 123])
const CLOSE = new Set([93, 125])

/**
 * Counts what JSON text would become, before anything is made of it: memory goes with values, not with bytes, and the stack with
 * depth. Of text that is no JSON it says something, too.
 *
 * @returns how many values, lists and objects there are at most, and how deep they lie in each other
 */
export function measureJson(bytes: Uint8Array): { values: number; depth: number } {
  let [values, depth, deepest] = [1, 0, 0]
  let isInString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (isInString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) isInString = false
    } else if (byte === QUOTE) isInString = true
    else if (byte === COMMA) values++
    else if (OPEN.has(byte)) {
      values++
      depth++
      if (depth > deepest) deepest = depth
    } else if (CLOSE.has(byte)) depth--
  }
  return { values, depth: deepest }
}
