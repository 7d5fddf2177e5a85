import { isShownVideo } from '../../../../isomorphic/picture-names.ts'
import type { PathedFile } from './tar.ts'

/** Most bytes that are searched for names, and bytes of a step. */
const SEARCHED_MAX = 256 * 2 ** 20
const STEP = 4 * 2 ** 20
/** Names at the border of two steps are within this many characters. */
const NAME_MAX = 300

const BINARY = /\.(zip|tar|tgz|gz|xlsx|edf|xdf|png|jpe?g|gif|webp|avif|pdf|mp4|m4v|webm)$/i

/**
 * Finds the videos that other files name in a cell, with or without their ending: these were shown, as items.
 *
 * @returns their paths
 */
export async function namedVideos(files: PathedFile[]): Promise<Set<string>> {
  const sought = new Map(
    files
      .filter(({ path }) => isShownVideo(path))
      .map(({ path }) => [path, cellOf(path.slice(path.lastIndexOf('/') + 1))]),
  )
  const found = new Set<string>()
  let searched = 0
  for (const { path, file } of files) {
    if (BINARY.test(path)) continue
    let before = ''
    for (let from = 0; from < file.size && searched < SEARCHED_MAX && found.size < sought.size; from += STEP) {
      const text = before + (await file.slice(from, from + STEP).text())
      for (const [video, cell] of sought) if (cell.test(text)) found.add(video)
      before = text.slice(-NAME_MAX)
      searched += STEP
    }
  }
  return found
}

/** Returns what matches a file's name as the whole text of a cell, or at the end of a path in it. */
function cellOf(name: string): RegExp {
  const [stem, ending] = [name.slice(0, name.lastIndexOf('.')), name.slice(name.lastIndexOf('.'))]
  const plain = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(^|[,;|\\t\\n\\r"/\\\\])${plain(stem)}(${plain(ending)})?($|[,;|\\t\\n\\r"])`, 'i')
}
