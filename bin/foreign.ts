import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ServiceError } from '../engine/model/errors.ts'
import { UUID } from '../engine/model/parameters.ts'
import type { Config } from '../engine/model/settings.ts'
import type { Conversion } from '../engine/readers/convert.ts'
import type { Screen } from '../engine/readers/reader.ts'
import { count, grouped } from './count.ts'
import { progressLine } from './progress.ts'

/** What may be said of foreign files on the command line, for `convert` and `import` alike. */
export type ForeignOptions = { format?: string; mapping?: string; screen?: string; name?: string; study?: string }

/** Whether a path is a study bundle, which needs no conversion. */
export function isBundle(path: string): boolean {
  const holds = (name: string) => existsSync(join(path, name))
  return (
    existsSync(path) &&
    statSync(path).isDirectory() &&
    (holds('study.json') || holds('tests.csv') || holds('tests.csv.gz'))
  )
}

/** @throws ServiceError usage: an option that would not be heeded is a mistake */
export function refuseForeign({ format, mapping, screen, name, study }: ForeignOptions, path: string): void {
  const given = Object.entries({ format, mapping, screen, name, study }).filter(([, value]) => value !== undefined)
  if (given.length === 0) return
  const flags = given.map(([option]) => `--${option}`).join(', ')
  throw new ServiceError('usage', `${path} is a study bundle, which says all by itself: leave out ${flags}`)
}

/** Converts files as the command line says, and tells what was made of them. */
export async function convert(
  paths: string[],
  directory: string,
  { format, mapping, screen, name, study }: ForeignOptions,
  config: Config,
  signal: AbortSignal,
): Promise<Conversion> {
  if (study !== undefined && !UUID.test(study)) throw new ServiceError('usage', `--study must be a UUID, got ${study}`)
  // Readers of a dozen formats, which a bundle needs none of.
  const { convertFiles } = await import('../engine/readers/convert.ts')
  const { parseMapping } = await import('../engine/readers/mapping.ts')
  const line = progressLine('convert')
  try {
    const conversion = await convertFiles({
      paths: paths.map((path) => resolve(path)),
      directory,
      format: format ?? null,
      mapping: mapping === undefined ? null : parseMapping(readText(mapping), mapping),
      screen: screen === undefined ? null : parseScreen(screen),
      studyName: name,
      studyId: study?.toLowerCase() ?? null,
      memoryMib: config.engineMemoryMib,
      onProgress: (samples, share) => line.show(share, `${grouped(samples)} samples`),
      signal,
    })
    line.done()
    for (const text of summary(conversion)) console.error(text)
    return conversion
  } finally {
    line.done()
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ServiceError('usage', `the mapping ${path} cannot be read`, { cause: error })
  }
}

export function parseScreen(text: string): Screen {
  const match = /^(\d{1,5})[x×](\d{1,5})$/i.exec(text)
  const [widthPx, heightPx] = [Number(match?.[1]), Number(match?.[2])]
  if (widthPx >= 1 && heightPx >= 1) return { widthPx, heightPx }
  throw new ServiceError('usage', `--screen must be WIDTHxHEIGHT in px, such as 1920x1080, got ${text}`)
}

/** What was taken, left and assumed, line by line. */
function summary({ title, files, counts, left, assumed }: Conversion): string[] {
  const { participants, items, tests, samples, lostSamples } = counts
  const lost = samples === 0 ? 0 : Math.round((100 * lostSamples) / samples)
  return [
    `Read as ${title}: ${files.length === 1 ? files[0] : count(files.length, 'file')}.`,
    `Took ${count(participants, 'participant')}, ${count(items, 'item')}, ${count(tests, 'test')}, ${count(samples, 'sample')}, ${lost} % of them without gaze.`,
    ...left.map((what) => `Left: ${what}.`),
    ...assumed.map((sentence) => `Assumed: ${sentence}.`),
  ]
}
