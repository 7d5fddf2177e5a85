import { groupBy } from '../../../isomorphic/group-by.ts'
import { type Draft, noteDoubt } from '../draft/draft.ts'
import { folderOf, partsThatDiffer, stemOf } from '../text/file-names.ts'
import type { SourceFile } from '../text/source-files.ts'
import { guessPathNames } from './path-names.ts'

/**
 * Names recordings without a participant in their data: by the files' own names and, if these are equal, also by the
 * folders in which they differ. So the `gaze.csv` of two people are never merged into one person.
 *
 * @param nameOf returns a file's own name for its participant
 * @returns a function from file to name; the draft notes when folders had to distinguish files
 */
export function nameFiles(
  files: SourceFile[],
  draft: Draft,
  nameOf: (file: SourceFile) => string = ({ name }) => stemOf(name),
): (file: SourceFile) => string {
  if (draft.pathNames.size === 0) guessNames(files, draft)
  const named = (file: SourceFile) => draft.pathNames.get(file.name)?.participant
  const groups = groupBy(
    files.filter((one) => named(one) === undefined),
    nameOf,
  )
  const names = new Map([...groups].flatMap(([own, group]) => distinctNames(group, own)))
  const apart = [...names].find(([file, name]) => name !== nameOf(file))?.[1]
  let isNoted = false
  return (file) => {
    const ofPath = named(file)
    if (ofPath !== undefined) return ofPath
    const name = names.get(file)!
    // Names of files matter only where nothing in a file names its participant.
    if (!isNoted) noteTelltale([...groups.keys()], [...names.values()], draft)
    isNoted = true
    draft.fileNames.add(name)
    if (name !== nameOf(file))
      noteDoubt(
        draft,
        `files of the same name belong to different participants, named after their folders, such as ${apart}`,
      )
    return name
  }
}

const TRIAL_FILE = /^(trial|block|run|item|stimulus|stim|image|picture|durchgang|essai|ensayo)[-_ ]?\d+$/i

/** Names of the folders of sessions, and of days. */
const SESSION_FOLDER = /^(ses|sess|session|sitzung|sitting|visit|day|tag|wave|timepoint)[-_ ]?\d+$/i

/** Names of parts of one thing: their number, behind what they share. */
const PART_FILE =
  /^(.*?)[-_ .]*(part|pt|teil|segment|seg|chunk|half|split|block|run|session|sess|ses|sitzung|visit|day)[-_ ]?\d+$/i

/**
 * Reports files and folders that are taken to be participants, and called like trials, like parts of one recording, or
 * like sessions.
 *
 * @param names of files @param people the names that participants get
 */
function noteTelltale(names: string[], people: string[], draft: Draft): void {
  const session = people.flatMap((name) => name.split('/')).find((part) => SESSION_FOLDER.test(part))
  if (session !== undefined)
    noteDoubt(
      draft,
      `each folder is taken to be a participant, and some are named like sessions of one, such as ${session}: --path changes that, such as '{participant}/{session}/{trial}.csv'`,
    )
  if (names.length > 1 && names.every((name) => TRIAL_FILE.test(name)))
    noteDoubt(
      draft,
      `each file is taken to be a participant, and they are named like trials, such as ${names[0]}: --path changes that, such as '{participant}/{trial}.csv'`,
    )
  const wholes = names.map((name) => PART_FILE.exec(name)?.[1] ?? name)
  const part = names.find((_, i) => wholes.indexOf(wholes[i]) !== i)
  if (part !== undefined)
    noteDoubt(
      draft,
      `each file is taken to be a participant, and some are named like parts of one recording, such as ${part}: --path changes that, such as '{participant}_part{session}.csv'`,
    )
}

/** Takes folders for participants where they repeat the same files. */
function guessNames(files: SourceFile[], draft: Draft): void {
  const guessed = guessPathNames(files.map(({ name }) => name))
  for (const [name, names] of guessed) draft.pathNames.set(name, names)
  const [first] = guessed.values()
  if (first)
    noteDoubt(
      draft,
      `files of the same names lie in several folders: each folder is taken to be a participant, such as ${first.participant}, and each file a trial, such as ${first.trial}; --path changes that, such as '{participant}/{trial}.csv'`,
    )
}

function distinctNames(group: SourceFile[], own: string): [SourceFile, string][] {
  if (group.length === 1) return [[group[0], own]]
  const folders = partsThatDiffer(group.map(({ name }) => folderOf(name).split('/')))
  const names = folders.map((parts) => [...parts, own].join('/'))
  const isDistinct = new Set(names).size === group.length
  return group.map((file, i) => [file, isDistinct ? names[i] : file.name])
}
