/** File, and its path in its folder. */
export type PathedFile = { path: string; file: File }

const BLOCK = 512
const NAME_MAX_BYTES = 100
/** Maximum of eleven octal digits. */
const SIZE_MAX = 8 ** 11

/**
 * Packs files into a tar (POSIX ustar, with pax headers for names and sizes that need them). It reads nothing: the
 * parts are the files themselves. So the same files give the same bytes, and a slice needs only its own memory.
 */
export function tarOf(files: PathedFile[]): Blob {
  const parts: BlobPart[] = []
  for (const { path, file } of files) {
    const extra = paxRecords(path, file.size)
    if (extra !== '') {
      const records = new TextEncoder().encode(extra)
      parts.push(header('pax', records.length, 0, 'x'), records, padding(records.length))
    }
    parts.push(header(path, file.size, file.lastModified, '0'), file, padding(file.size))
  }
  return new Blob([...parts, new Uint8Array(2 * BLOCK)])
}

function padding(size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)
}

function paxRecords(path: string, size: number): string {
  const isPlain = /^[\x20-\x7e]*$/.test(path) && path.length <= NAME_MAX_BYTES
  return (isPlain ? '' : paxRecord('path', path)) + (size < SIZE_MAX ? '' : paxRecord('size', String(size)))
}

/** Formats a pax record, which begins with its own length in bytes. */
function paxRecord(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`
  const restBytes = new TextEncoder().encode(rest).length
  let length = restBytes + 1
  while (String(length).length + restBytes !== length) length = String(length).length + restBytes
  return `${length}${rest}`
}

function header(path: string, size: number, modifiedMs: number, type: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(BLOCK)
  const write = (at: number, text: string) => bytes.set(new TextEncoder().encode(text).subarray(0, NAME_MAX_BYTES), at)
  const octal = (value: number, digits: number) => Math.max(0, value).toString(8).padStart(digits, '0')
  write(0, path)
  write(100, '0000644\0')
  write(108, '0000000\0')
  write(116, '0000000\0')
  write(124, `${octal(size < SIZE_MAX ? size : 0, 11)}\0`)
  write(136, `${octal(Math.floor(modifiedMs / 1000), 11)}\0`)
  write(148, '        ')
  write(156, type)
  write(257, 'ustar\x0000')
  write(
    148,
    `${octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
  )
  return bytes
}
