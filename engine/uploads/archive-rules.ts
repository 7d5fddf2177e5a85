import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { SAMPLE_LIMITS } from '../import/bundle/bundle-limits.ts'
import { ServiceError } from '../model/errors.ts'
import { checkRatio } from '../storage/files/gzip-ratio.ts'
import { pathFault, shownName } from '../storage/files/stored-names.ts'

export type Unpacking = { path: string; directory: string; maxBytes?: number; signal?: AbortSignal }

const ENTRIES_MAX = 20_000
const NAME_MAX_BYTES = 255
const DEPTH_MAX = 16

/** Files that operating systems add to archives. */
const BY_SYSTEMS = /(^|\/)(__MACOSX(\/|$)|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._)/

/** Validates entries one by one before they are written. `take` returns whether to write an entry. */
export type Rules = { take: (name: string, size: number, what: string | null) => boolean; left: string[] }

export async function openRules({ path, maxBytes = SAMPLE_LIMITS.maxBytes }: Unpacking): Promise<Rules> {
  const archive = basename(path)
  const { size: packedBytes } = await stat(path)
  const seen = new Set<string>()
  const left: string[] = []
  let bytes = 0
  let entries = 0
  const refuse = (rule: string): never => {
    throw new ServiceError('usage', `${archive} ${rule}`)
  }
  return {
    left,
    take: (name, size, what) => {
      if (++entries > ENTRIES_MAX) refuse(`holds more than ${ENTRIES_MAX} files`)
      const fault = faultOf(name)
      if (fault !== null) refuse(`holds ${shownName(name)}, a name that ${fault}`)
      if (what === 'folder') return true
      if (BY_SYSTEMS.test(name)) {
        left.push(name)
        return false
      }
      if (what !== null) refuse(`holds ${shownName(name)}, which is ${what}: it must hold plain files and folders only`)
      if (seen.has(name)) refuse(`holds ${shownName(name)} twice`)
      seen.add(name)
      bytes += size
      if (bytes > maxBytes) refuse(`holds more than ${maxBytes} bytes unpacked, which is all that an import may take`)
      checkRatio(archive, bytes, packedBytes)
      return true
    },
  }
}

/** Returns the fault of an entry's name; null if it may be unpacked. */
function faultOf(name: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  if (/[\\\u0000-\u001f\u007f]/.test(name)) return 'holds a backslash or a control character'
  const path = name.replace(/\/$/, '')
  const fault = pathFault(path)
  if (fault !== null) return fault
  const parts = path.split('/')
  if (parts.length > DEPTH_MAX) return `lies more than ${DEPTH_MAX} folders deep`
  if (parts.some((part) => Buffer.byteLength(part) > NAME_MAX_BYTES)) return `is longer than ${NAME_MAX_BYTES} bytes`
  return null
}
