/**
 * Tables whose cells are separated by blanks, as R's `write.table` and MATLAB write them: one or more between two
 * cells, also at the start and the end of a line, but none within a cell without quotes. They are read as tables with
 * tabs.
 */
const [TAB, LF, CR, BLANK, QUOTE] = [9, 10, 13, 32, 34]

/** Returns what makes tabs of blanks in a text, piece by piece. */
export function openTabs(): (bytes: Uint8Array) => Uint8Array {
  let isAtStart = true
  let isPending = false
  let isQuoted = false
  return (bytes) => {
    // A pending tab of the piece before may come on top.
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
