import { ServiceError } from '../model/errors.ts'
import { findReader } from '../recordings/convert/readers.ts'
import { checkKept } from '../recordings/draft/kept-facts.ts'
import { parseMapping } from '../recordings/reader/mapping.ts'
import { parsePathPattern } from '../recordings/reader/path-names.ts'
import type { MessagePatterns } from '../recordings/reader/reader.ts'
import type { ForeignChoices } from './import-files.ts'
import type { ImportChoices } from './import-job.ts'

/** Fault of a choice: its name and a sentence. */
type ChoiceFault = { name: string; message: string }

/** Parses the choices for recordings in a request, and collects all faults. */
export function readChoices(given: ImportChoices): { choices: ForeignChoices; faults: ChoiceFault[] } {
  const faults: ChoiceFault[] = []
  const attempt = <T>(name: string, read: () => T): T | null => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ServiceError) && !(error instanceof SyntaxError)) throw error
      faults.push({ name, message: error instanceof ServiceError ? error.message : 'must be a regular expression' })
      return null
    }
  }
  const { format, name, mapping, screen, screens, messages, events, path, force, pictures } = given
  const { aois = false, joinNames = false, tags = [], externalData = [] } = given
  if (format !== undefined) attempt('format', () => findReader(format))
  const patternOf = (which: keyof MessagePatterns) => {
    const text = messages?.[which]
    return text === undefined ? null : attempt(`messages.${which}`, () => new RegExp(text))
  }
  const options = {
    mapping: mapping === undefined ? null : attempt('mapping', () => parseMapping(JSON.stringify(mapping), 'it')),
    screen: screen ?? null,
    screens: screens ? new Map(screens.map(({ participant, ...size }) => [participant, size])) : null,
    messages: messages
      ? { trial: patternOf('trial'), end: patternOf('end'), item: patternOf('item'), onset: patternOf('onset') }
      : null,
    events: events === undefined ? null : attempt('events', () => new RegExp(events)),
    kept: { tags, externalData },
    hasAois: aois,
    joinsNames: joinNames,
    path: path === undefined ? null : attempt('path', () => parsePathPattern(path)),
    pictures: pictures ? new Map(pictures.map(({ picture, item }) => [picture, item])) : null,
  }
  attempt('tags', () => checkKept(options.kept))
  return { choices: { format, options, studyName: name, force }, faults }
}

/** Names the choices in a request; a bundle needs none of them. */
export function choicesMade(choices: ImportChoices): string[] {
  return Object.entries(choices).flatMap(([name, value]) => (value === undefined ? [] : [name]))
}
