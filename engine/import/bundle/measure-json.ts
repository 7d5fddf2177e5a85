const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
/** Code of a brace; a bracket has the same code without this bit. */
const [OPEN, CLOSE, BRACE_BIT] = [123, 125, 32]

/**
 * Counts the values and the depth of JSON text before it is parsed, since memory grows with values, not with bytes, and
 * the stack with depth. The text need not be valid JSON.
 *
 * @returns upper bounds of the number of values, lists and objects, and of their nesting
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
    else if ((byte | BRACE_BIT) === OPEN) {
      values++
      depth++
      if (depth > deepest) deepest = depth
    } else if ((byte | BRACE_BIT) === CLOSE) depth--
  }
  return { values, depth: deepest }
}
