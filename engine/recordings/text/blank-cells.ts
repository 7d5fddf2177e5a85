/**
 * Converts tables whose cells are separated by spaces, as R's `write.table` and MATLAB write them, to tables with tabs.
 * One or more spaces may stand between two cells, and also at the start and end of a line, but none within an unquoted
 * cell.
 */
const [TAB, LF, CR, BLANK, QUOTE] = [9, 10, 13, 32, 34]

/** Returns a function that replaces separating spaces by tabs in a text, piece by piece. */
export function openTabs(): (bytes: Uint8Array) => Uint8Array {
  let isAtStart = true
  let isPending = false
  let isQuoted = false
  return (bytes) => {
    // A pending tab of the previous piece may be added.
    const out = new Uint8Array(bytes.length + 1)
    let n = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (!isQuoted && (byte === BLANK || byte === TAB)) {
        isPending = !isAtStart
        continue
      }
      const isEnd = !isQuoted && (byte === LF || byte === CR)
      if (isPending && !isEnd) out[n++] = TAB
      isPending = false
      isAtStart = isEnd
      if (byte === QUOTE) isQuoted = !isQuoted
      out[n++] = byte
    }
    return out.subarray(0, n)
  }
}

export function withTabs(text: string): string {
  return Buffer.from(openTabs()(Buffer.from(text))).toString('utf8')
}

export async function* tabbed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const toTabs = openTabs()
  for await (const chunk of chunks) yield toTabs(chunk)
}
