import { ServiceError } from '../../model/errors.ts'
import type { PathNames } from '../draft/draft.ts'
import { folderOf, partsThatDiffer, stemOf } from '../text/file-names.ts'

const NAMES: (keyof PathNames)[] = ['participant', 'item', 'session', 'trial']

/** Pattern of paths, as given to `--path`, and the expression that it stands for. */
export type PathPattern = { text: string; expression: RegExp }

/**
 * Parses a pattern of paths such as `participant{participant}/{trial}.txt`: the end of a path, with names in braces;
 * `*` stands for any part of a name.
 *
 * @throws ServiceError usage
 */
export function parsePathPattern(text: string): PathPattern {
  const refuse = (rule: string) => new ServiceError('usage', `--path must ${rule}, got ${text}`)
  const seen = new Set<string>()
  const parts = text.split(/(\{[^{}]*\}|\*)/).map((part) => {
    if (part === '*') return '[^/]*'
    const name = /^\{(.*)\}$/.exec(part)?.[1]
    if (name === undefined) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    if (!NAMES.some((one) => one === name)) throw refuse(`name only ${NAMES.map((one) => `{${one}}`).join(', ')}`)
    if (seen.has(name)) throw refuse(`name {${name}} once`)
    seen.add(name)
    return `(?<${name}>[^/]+?)`
  })
  if (seen.size === 0) throw refuse(`hold one of ${NAMES.map((one) => `{${one}}`).join(', ')}`)
  return { text, expression: new RegExp(`(?:^|/)${parts.join('').replace(/^\//, '')}$`) }
}

/** Returns the names in a path, by a pattern; null if it does not fit. */
export function namesInPath(path: string, { expression }: PathPattern): PathNames | null {
  return expression.exec(path)?.groups ?? null
}

const PERSON_FOLDER = /^(p|pp|vp|s|sub|subj|subject|participant|proband|person|user|id)[-_ ]?\d+$/i
const PERSON_FILE = /(^|[^a-z])(p|pp|vp|s|sub|subj|subject|participant|proband|person|user)[-_ ]?\d+/i

/**
 * Guesses names where the same files lie in several folders, each called like a participant: the folder is the
 * participant, and the file the trial. Empty where that is not so.
 */
export function guessPathNames(files: string[]): Map<string, PathNames> {
  const folders = new Map<string, string[]>()
  for (const file of files) folders.set(folderOf(file), [...(folders.get(folderOf(file)) ?? []), file])
  const stems = new Set(files.map(stemOf))
  const isRepeated = folders.size > 1 && [...folders.values()].every((own) => own.length > 1)
  if (!isRepeated || 2 * stems.size > files.length + 1 || [...stems].some((stem) => PERSON_FILE.test(stem)))
    return new Map()
  const paths = [...folders.keys()]
  const people = partsThatDiffer(paths.map((path) => path.split('/'))).map((parts) => parts.join('/'))
  if (!people.every((name) => PERSON_FOLDER.test(name))) return new Map()
  return new Map(
    paths.flatMap((path, i) =>
      folders.get(path)!.map((file) => [file, { participant: people[i], trial: stemOf(file) }] as const),
    ),
  )
}
