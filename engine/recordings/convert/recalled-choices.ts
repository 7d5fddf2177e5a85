import type { RecordedChoices, RecordedFiles } from '../../snapshot/recordings-file.ts'
import { generic } from '../any-table/any-table.ts'
import { parseMapping } from '../reader/mapping.ts'
import { parsePathPattern } from '../reader/path-names.ts'
import type { MessagePatterns, ReadOptions } from '../reader/reader.ts'
import type { SourceFile } from '../text/source-files.ts'

/** Selects the import options that a study keeps. Screen sizes by participant name people, and are not kept. */
export function choicesToKeep(options: ReadOptions): RecordedChoices {
  const { screen, mapping, messages, events, kept, hasAois, joinsNames, path } = options
  return {
    screen,
    mapping: mapping && { ...mapping, notes: [] },
    messages: messages && withoutEnd(mapPatterns(messages, (pattern) => pattern?.source ?? null)),
    ...(events ? { events: events.source } : {}),
    kept,
    hasAois,
    ...(joinsNames ? { joinsNames } : {}),
    ...(path ? { path: path.text } : {}),
  }
}

/** Adds the study's mapping to options without one, if any file has its columns. @param format requested format */
export function withStudysMapping(
  options: ReadOptions,
  { choices }: Pick<RecordedFiles, 'choices'>,
  files: SourceFile[],
  format: string | null,
): ReadOptions {
  if (options.mapping !== null || !choices?.mapping || (format !== null && format !== generic.name)) return options
  const mapped = { ...options, mapping: parseMapping(JSON.stringify(choices.mapping), "the study's mapping") }
  return files.some((file) => generic.recognises(file, mapped)) ? mapped : options
}

/**
 * Adds the study's choices to options for more recordings of the same format; given options take precedence.
 *
 * @returns the options, and a sentence about the choices taken from the study, null for none
 */
export function withStudysChoices(
  given: ReadOptions,
  mapped: ReadOptions,
  { choices, format }: Pick<RecordedFiles, 'choices' | 'format'>,
  reader: string,
): { options: ReadOptions; taken: string | null } {
  if (!choices || reader !== format) return { options: mapped, taken: null }
  const taken = given.mapping === null && mapped.mapping !== null ? ['its mapping'] : []
  const options = { ...mapped }
  if (given.screen === null && given.screens === null && choices.screen) {
    options.screen = choices.screen
    taken.push(`--screen ${choices.screen.widthPx}x${choices.screen.heightPx}`)
  }
  if (given.messages === null && choices.messages) {
    options.messages = mapPatterns({ end: null, ...choices.messages }, (text) =>
      text === null ? null : new RegExp(text),
    )
    for (const [which, text] of Object.entries(choices.messages)) if (text) taken.push(`--${which}-message ${text}`)
  }
  if (!given.events && choices.events !== undefined) {
    options.events = new RegExp(choices.events)
    taken.push(`--event-message ${choices.events}`)
  }
  const { tags, externalData } = choices.kept
  if (given.kept.tags.length + given.kept.externalData.length === 0 && tags.length + externalData.length > 0) {
    options.kept = choices.kept
    if (tags.length > 0) taken.push(`--tags ${tags.join(',')}`)
    if (externalData.length > 0) taken.push(`--external-data ${externalData.join(',')}`)
  }
  if (!given.hasAois && choices.hasAois) {
    options.hasAois = true
    taken.push('--aois')
  }
  if (!given.joinsNames && choices.joinsNames) {
    options.joinsNames = true
    taken.push('--join-names')
  }
  if (!given.path && choices.path !== undefined) {
    options.path = parsePathPattern(choices.path)
    taken.push(`--path ${choices.path}`)
  }
  const sentence = `options that were not given are those of earlier imports of the study: ${taken.join(', ')}`
  return { options, taken: taken.length === 0 ? null : sentence }
}

/** Omits a missing `end` pattern, for studies kept before it existed. */
function withoutEnd({ end, ...others }: Record<keyof MessagePatterns, string | null>): RecordedChoices['messages'] {
  return end === null ? others : { ...others, end }
}

function mapPatterns<From, To>(
  { trial, end, item, onset }: Record<keyof MessagePatterns, From>,
  to: (pattern: From) => To,
): Record<keyof MessagePatterns, To> {
  return { trial: to(trial), end: to(end), item: to(item), onset: to(onset) }
}
