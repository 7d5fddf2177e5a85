import { readFileSync } from 'node:fs'
import { sampleLimits } from '../../engine/import/bundle/bundle-limits.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { UUID } from '../../engine/model/parameters.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Conversion } from '../../engine/recordings/convert/convert-recordings.ts'
import type { ReadOptions, Screen } from '../../engine/recordings/reader/reader.ts'
import type { ForeignChoices } from '../../engine/uploads/import-files.ts'
import { countText, grouped } from '../terminal/count.ts'
import { refusalOf } from '../terminal/file-refusals.ts'
import { progressLine } from '../terminal/progress.ts'
import { givenPaths } from './given-paths.ts'

/** Options for foreign recordings, of `convert` and `import` alike. */
export type ForeignOptions = {
  format?: string
  mapping?: string
  screen?: string
  screens?: string
  trialMessage?: string
  endMessage?: string
  itemMessage?: string
  onsetMessage?: string
  eventMessage?: string
  aois?: boolean
  joinNames?: boolean
  path?: string
  tags?: string
  externalData?: string
  name?: string
  study?: string
  force?: boolean
}

const FOREIGN_OPTIONS = [
  'format',
  'mapping',
  'screen',
  'screens',
  'trialMessage',
  'endMessage',
  'itemMessage',
  'onsetMessage',
  'eventMessage',
  'aois',
  'joinNames',
  'path',
  'tags',
  'externalData',
  'name',
  'study',
  'replace',
  'force',
] as const

/** Refuses options for recordings if a bundle is imported. @throws ServiceError usage */
export function refuseForeign(options: ForeignOptions & { replace?: boolean }, path: string): void {
  const given = FOREIGN_OPTIONS.filter((option) => options[option] !== undefined)
  if (given.length === 0) return
  const flags = given.map((option) => `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  throw new ServiceError(
    'usage',
    `${path} is a study bundle, which needs no such options: leave out ${flags.join(', ')}`,
  )
}

/** Converts files with the options of the command line, and prints the report. */
export async function convert(
  paths: string[],
  directory: string,
  options: ForeignOptions,
  config: Config,
  signal: AbortSignal,
): Promise<void> {
  // Loads the readers of a dozen formats, which no other command needs.
  const { convertFiles } = await import('../../engine/recordings/convert/convert-recordings.ts')
  const { format, options: read, studyName } = await foreignChoices(options)
  const line = progressLine('convert')
  try {
    const conversion = await convertFiles({
      paths: givenPaths(paths),
      directory,
      ...{ format, options: read, studyName },
      studyId: givenStudyId(options) ?? null,
      memoryMib: config.engineMemoryMib,
      limits: sampleLimits(config),
      onProgress: (samples, share) => line.show(share, `${grouped(samples)} samples`),
      signal,
    })
    line.done()
    for (const text of conversionText(conversion)) console.error(text)
  } finally {
    line.done()
  }
}

/** Returns the study that `--study` names, in lower case. @throws ServiceError usage */
export function givenStudyId({ study }: ForeignOptions): string | undefined {
  if (study !== undefined && !UUID.test(study)) throw new ServiceError('usage', `--study must be a UUID, got ${study}`)
  return study?.toLowerCase()
}

/** Parses the options for recordings. @throws ServiceError usage */
export async function foreignChoices(options: ForeignOptions): Promise<ForeignChoices> {
  return { format: options.format, options: await readOptions(options), studyName: options.name, force: options.force }
}

async function readOptions(given: ForeignOptions): Promise<ReadOptions> {
  const { mapping, screen, screens, trialMessage, endMessage, itemMessage, onsetMessage, aois = false } = given
  const { parseMapping } = await import('../../engine/recordings/reader/mapping.ts')
  const { parsePathPattern } = await import('../../engine/recordings/reader/path-names.ts')
  const { parseScreens } = await import('../../engine/recordings/reader/screens-table.ts')
  const messages = {
    trial: parsePattern('--trial-message', trialMessage),
    end: parsePattern('--end-message', endMessage),
    item: parsePattern('--item-message', itemMessage),
    onset: parsePattern('--onset-message', onsetMessage),
  }
  return {
    mapping: mapping === undefined ? null : parseMapping(readText('mapping', mapping), mapping),
    screen: screen === undefined ? null : parseScreen(screen),
    screens: screens === undefined ? null : await parseScreens(readText('table of screens', screens), screens),
    messages: Object.values(messages).some((pattern) => pattern !== null) ? messages : null,
    events: parsePattern('--event-message', given.eventMessage),
    kept: { tags: columnsOf(given.tags), externalData: columnsOf(given.externalData) },
    hasAois: aois,
    joinsNames: given.joinNames ?? false,
    path: given.path === undefined ? null : parsePathPattern(given.path),
    pictures: null,
  }
}

function columnsOf(list: string | undefined): string[] {
  const names = (list ?? '').split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))]
}

function readText(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw refusalOf(error, `the ${what} ${path}`, 'read') ?? error
  }
}

function parsePattern(option: string, text: string | undefined): RegExp | null {
  if (text === undefined) return null
  try {
    return new RegExp(text)
  } catch (error) {
    throw new ServiceError('usage', `${option} must be a regular expression, got ${text}`, { cause: error })
  }
}

function parseScreen(text: string): Screen {
  const match = /^(\d{1,5})[x×](\d{1,5})$/i.exec(text)
  const [widthPx, heightPx] = [Number(match?.[1]), Number(match?.[2])]
  if (widthPx >= 1 && heightPx >= 1) return { widthPx, heightPx }
  throw new ServiceError('usage', `--screen must be WIDTHxHEIGHT in px, such as 1920x1080, got ${text}`)
}

const [PARTICIPANTS_MAX, FILES_MAX] = [200, 5]

/**
 * Prints the report of a conversion line by line: what was read, participants, what was left out and assumed, what to
 * check.
 */
export function conversionText(conversion: Conversion): string[] {
  const { title, files, counts, participants: people, left, assumed, doubts } = conversion
  const { participants, items, tests, validations, samples, lostSamples } = counts
  const targets = validations === 0 ? '' : `, ${countText(validations, 'validation target')}`
  const lost = samples === 0 ? 0 : Math.round((100 * lostSamples) / samples)
  const found = people.map(({ name, files: own }) =>
    files.length === 1 ? name : `${name} (${shortList(own, FILES_MAX)})`,
  )
  return [
    `Read as ${title}: ${files.length === 1 ? files[0] : countText(files.length, 'file')}.`,
    `Took ${countText(participants, 'participant')}, ${countText(items, 'item')}, ${countText(tests, 'test')}, ${countText(samples, 'sample')}, ${lost} % of them without gaze${targets}.`,
    `Found ${shortList(found, PARTICIPANTS_MAX)}.`,
    ...left.map((what) => `Left: ${what}.`),
    ...assumed.map((sentence) => `Assumed: ${sentence}.`),
    ...doubts.map((sentence) => `Check: ${sentence}.`),
  ]
}

function shortList(names: string[], most: number): string {
  const more = names.length > most ? ` and ${grouped(names.length - most)} more` : ''
  return names.slice(0, most).join(', ') + more
}
