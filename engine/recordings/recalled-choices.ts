import type { RecordedChoices, Recordings } from '../snapshot/recordings-file.ts'
import { generic } from './any-table/any-table.ts'
import { parseMapping } from './reader/mapping.ts'
import type { MessagePatterns, ReadOptions } from './reader/reader.ts'
import type { SourceFile } from './text/source-files.ts'

/**
 * Returns what a study keeps of the options that it was brought in with. Sizes by participant name people, and are not
 * kept.
 */
export function choicesToKeep({ screen, mapping, messages, events, kept, hasAois }: ReadOptions): RecordedChoices {
  return {
    screen,
    mapping: mapping && { ...mapping, notes: [] },
    messages: messages && withoutEnd(mapPatterns(messages, (pattern) => pattern?.source ?? null)),
    ...(events ? { events: events.source } : {}),
    kept,
    hasAois,
  }
}

/**
 * Adds the mapping of the study to options without one, if any of the files has its columns.
 *
 * @param format that was asked for
 */
export function withStudysMapping(
  options: ReadOptions,
  { choices }: Pick<Recordings, 'choices'>,
  files: SourceFile[],
  format: string | null,
): ReadOptions {
  if (options.mapping !== null || !choices?.mapping || (format !== null && format !== generic.name)) return options
  const mapped = { ...options, mapping: parseMapping(JSON.stringify(choices.mapping), "the study's mapping") }
  return files.some((file) => generic.recognises(file, mapped)) ? mapped : options
}

/**
 * Adds the choices of the study to options for more recordings of the same format; what was given goes before.
 *
 * @returns the options, and a sentence of what was taken from the study, null for nothing
 */
export function withStudysChoices(
  given: ReadOptions,
  mapped: ReadOptions,
  { choices, format }: Pick<Recordings, 'choices' | 'format'>,
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
  const sentence = `what was not given is as the study was brought in: ${taken.join(', ')}`
  return { options, taken: taken.length === 0 ? null : sentence }
}

/** Leaves out a pattern that is not there, as studies were kept before there was one. */
function withoutEnd({ end, ...others }: Record<keyof MessagePatterns, string | null>): RecordedChoices['messages'] {
  return end === null ? others : { ...others, end }
}

function mapPatterns<From, To>(
  { trial, end, item, onset }: Record<keyof MessagePatterns, From>,
  to: (pattern: From) => To,
): Record<keyof MessagePatterns, To> {
  return { trial: to(trial), end: to(end), item: to(item), onset: to(onset) }
}
