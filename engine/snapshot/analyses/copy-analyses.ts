import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../model/errors.ts'
import { createDurably, makeDirectory, replaceDurably, syncDirectory } from '../../storage/files/durable.ts'
import { isThere } from '../../storage/files/optional-files.ts'
import { unseal } from '../../storage/files/sealed-json.ts'
import { Analysis } from './analysis-schema.ts'
import {
  ANALYSES_FOLDER,
  type AnalysisContent,
  analysisIn,
  analysisNames,
  analysisSubject,
  CURRENT,
  readAnalysis,
  removeAnalysis,
  subjectOfCurrent,
  versionsOf,
  whileLocked,
} from './stored-analyses.ts'

/**
 * Files of a study's analyses, by their names below `analyses`: versions, and for each analysis the file that names the
 * current one.
 */
type ByName<Value> = Record<string, Value>

const FILE = /^([a-z0-9-]{1,64})\/(?:([0-9a-f]{12})|current)\.json$/

/** Returns whether a name is that of a file of an analysis. */
export function isAnalysisFile(name: string): boolean {
  return FILE.test(name)
}

/** Reads and verifies the files of a study's analyses. @throws ServiceError corrupt, busy */
export async function readAnalysisFiles(studyDir: string): Promise<ByName<string>> {
  if (!(await isThere(join(studyDir, ANALYSES_FOLDER)))) return {}
  return whileLocked(studyDir, () => readFiles(studyDir))
}

async function readFiles(studyDir: string): Promise<ByName<string>> {
  const files: ByName<string> = {}
  for (const name of await analysisNames(studyDir)) {
    if ((await readAnalysis(studyDir, name)) === null) continue
    const versions = await versionsOf(studyDir, name)
    for (const version of versions) await readAnalysis(studyDir, name, version)
    for (const file of [...versions.map((version) => `${version}.json`), CURRENT])
      files[`${name}/${file}`] = await readFile(join(studyDir, ANALYSES_FOLDER, name, file), 'utf8')
  }
  return files
}

/**
 * Merges the analyses of two sides: returns all names and versions of both. If both have a name, the version that the
 * other side does not know is the newer one and becomes current.
 *
 * @param ours, theirs by name, a fingerprint of each file
 * @param currentOf reads the current version of one of our names, or of theirs
 * @throws ServiceError exists if neither side knows the other's current version
 */
export async function mergeAnalyses(
  ours: ByName<string>,
  theirs: ByName<string>,
  currentOf: (side: 'ours' | 'theirs', name: string) => Promise<string>,
): Promise<ByName<string>> {
  const merged = { ...ours, ...theirs }
  for (const file of Object.keys(ours)) {
    const [, name, version] = FILE.exec(file) ?? []
    if (version !== undefined || theirs[file] === undefined || theirs[file] === ours[file]) continue
    const isKnown = (files: ByName<string>, current: string) => files[`${name}/${current}.json`] !== undefined
    if (isKnown(theirs, await currentOf('ours', file))) continue
    if (!isKnown(ours, await currentOf('theirs', file)))
      throw new ServiceError('exists', `analysis ${name} was changed on both sides: add --replace to replace it`)
    merged[file] = ours[file]
  }
  return merged
}

/** Returns the version that a file names as current. @throws ServiceError corrupt */
export function currentIn(file: string, text: string): string {
  const [, name] = FILE.exec(file) ?? []
  return unseal<{ version: string }>(text, file, subjectOfCurrent(name)).version
}

/**
 * Replaces the analyses of a study, under their lock.
 *
 * @param from derives the new files from the existing ones, as `checkAnalysisFiles` found them
 * @returns whether any changed
 * @throws ServiceError corrupt, busy
 */
export async function replaceAnalyses(
  studyDir: string,
  from: (own: ByName<string>) => Promise<ByName<string>>,
): Promise<boolean> {
  return whileLocked(studyDir, async () => {
    const own = await readFiles(studyDir)
    const files = await from(own)
    const isSame = Object.keys({ ...own, ...files }).every((file) => own[file] === files[file])
    if (!isSame) await place(studyDir, files)
    return !isSame
  })
}

async function place(studyDir: string, files: ByName<string>): Promise<void> {
  const names = new Set(Object.keys(files).map((file) => file.split('/')[0]))
  for (const name of await analysisNames(studyDir)) if (!names.has(name)) await removeAnalysis(studyDir, name)
  for (const name of names) {
    const directory = join(studyDir, ANALYSES_FOLDER, name)
    await makeDirectory(directory)
    const own = Object.keys(files).filter((file) => file.startsWith(`${name}/`))
    const current = `${name}/${CURRENT}`
    for (const file of own)
      if (file !== current) await createDurably(join(studyDir, ANALYSES_FOLDER, file), files[file])
    await replaceDurably(join(studyDir, ANALYSES_FOLDER, current), files[current])
    for (const version of await versionsOf(studyDir, name))
      if (files[`${name}/${version}.json`] === undefined) await rm(join(directory, `${version}.json`))
    await syncDirectory(directory)
  }
  await syncDirectory(join(studyDir, ANALYSES_FOLDER))
  await syncDirectory(studyDir)
}

/**
 * Verifies that texts are complete analyses: versions, and a current version for each name.
 *
 * @throws ServiceError corrupt
 */
export function checkAnalysisFiles(files: ByName<string>): void {
  for (const [file, text] of Object.entries(files)) {
    const [, name, version] = FILE.exec(file) ?? []
    if (name === undefined) throw new ServiceError('corrupt', `${file} is not a file of an analysis`)
    if (version !== undefined && !isAnalysis(text, file, name, version))
      throw new ServiceError('corrupt', `${file} is no analysis`)
    const current = files[`${name}/${CURRENT}`]
    if (current === undefined || files[`${name}/${currentIn(`${name}/${CURRENT}`, current)}.json`] === undefined)
      throw new ServiceError('corrupt', `analysis ${name} has no current version`)
  }
}

function isAnalysis(text: string, file: string, name: string, version: string): boolean {
  const content = unseal<AnalysisContent>(text, file, analysisSubject(name, version))
  return Analysis.safeParse(analysisIn(content, name)).success
}
