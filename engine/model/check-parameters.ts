import { DETECTOR_NAMES } from '../../isomorphic/detector-settings.ts'
import { PRESET_NAMES, settingsOfPreset } from '../../isomorphic/presets.ts'
import type { Fault } from './errors.ts'
import { EYES } from './eye-columns.ts'
import { nearest } from './nearest.ts'
import {
  DENOMINATORS,
  defaultParameters,
  EXTRAS,
  type Extra,
  LINE_CHOICES,
  NUMBER_PARAMETERS,
  type NumberName,
  PARAMETER_NAMES,
  type ParameterName,
  type Parameters,
  READING_STARTS,
  type ReadingStart,
  trimFilter,
  UUID,
  WINDOW_MAX_MS,
} from './parameters.ts'
import { ANALYSIS_REFERENCE, type NamedAnalysis, withAnalysis, withSettings } from './study-analysis.ts'

const GRAMMAR = { int: /^\d{1,9}$/, signed: /^-?\d{1,9}$/, float: /^\d{1,9}(\.\d{1,9})?$/ }

/** A value that was read, or the rule that it breaks. */
type Read = Partial<Parameters> | { rule: string; nearest?: string }

/** Readers of the parameters that are no numbers of `NUMBER_PARAMETERS`. */
const READERS: Record<Exclude<ParameterName, NumberName>, (value: string, named: NamedAnalysis | null) => Read> = {
  itemId: (value) => {
    if (['', 'NULL', 'null'].includes(value)) return { itemId: null }
    if (UUID.test(value)) return { itemId: value.toLowerCase() }
    return { rule: 'must be a UUID, or empty, NULL or null for all items' }
  },
  preset: (value) => oneOf(PRESET_NAMES, value, () => ({})),
  detector: (value) => oneOf(DETECTOR_NAMES, value, (detector) => ({ detector })),
  eye: (value) => oneOf(EYES, value, (eye) => (eye === 'recorded' ? {} : { eye })),
  filter: (value) => ({ filter: trimFilter(value) }),
  readingFrom: readReadingFrom,
  lines: (value) => oneOf(LINE_CHOICES, value, (lines) => (lines === 'as-recorded' ? {} : { lines })),
  extras: readExtras,
  fromMs: (value) => timeOr(value, (fromMs) => ({ fromMs })),
  toMs: (value) => timeOr(value, (toMs) => ({ toMs })),
  eventType: (value) => (value === '' ? {} : { eventType: value }),
  aoiNames: readNames,
  denominator: (value) => oneOf(DENOMINATORS, value, (denominator) => ({ denominator })),
  analysis: (value, named) => {
    if (named !== null) return ofAnalysis(named)
    if (value === '') return {}
    const isReference = ANALYSIS_REFERENCE.test(value)
    return { rule: isReference ? 'must be an analysis of the study' : 'must be a name or name@version' }
  },
}

/** Pairs of which the first must be at most the second, or less where they are the ends of a window. */
const ORDERED: { low: ParameterName; high: ParameterName; isWindow: boolean }[] = [
  { low: 'minFixationDurationMs', high: 'maxFixationDurationMs', isWindow: false },
  { low: 'pupilBaselineFromMs', high: 'pupilBaselineToMs', isWindow: false },
  { low: 'pupilFromMs', high: 'pupilToMs', isWindow: true },
  { low: 'fromMs', high: 'toMs', isWindow: true },
]

/**
 * Checks the parameters of a request. Nothing is clamped or ignored: all faults are returned at once, and then the
 * parameters are null.
 *
 * @param given each name with its values, in the order of the request; the caller reads those of `alsoAllowed`
 * @param alsoAllowed further names that this path takes (`variant`, `studyId`), for the unknown-name check only
 * @param named the analysis that `analysis` names; null where there is none
 */
export function checkParameters(
  given: Map<string, string[]>,
  alsoAllowed: string[] = [],
  named: NamedAnalysis | null = null,
): { parameters: Parameters | null; faults: Fault[] } {
  const faults: Fault[] = []
  const parameters = defaultParameters()
  const known = [...PARAMETER_NAMES, ...alsoAllowed]
  const chosen = withSettings(given, settingsOfPreset(given.get('preset')?.[0]))
  const all = named === null ? chosen : withAnalysis(chosen, named.analysis)
  for (const [name, values] of all) {
    const refuse = (rule: { rule: string; nearest?: string }) =>
      faults.push({ parameter: name, ...rule, value: values.join(',') })
    if (!known.includes(name)) refuse({ rule: 'is not a parameter of this export', ...nearest(name, known) })
    else if (values.length > 1) refuse({ rule: 'must be given once' })
    else if (isParameter(name)) {
      const read = readParameter(name, values[0] ?? '', named)
      if ('rule' in read) refuse(read)
      else Object.assign(parameters, read)
    }
  }
  faults.push(...beforeOnset(parameters))
  faults.push(...crossed(parameters, given, all, faults))
  return faults.length > 0 ? { parameters: null, faults } : { parameters, faults }
}

const isParameter = (name: string): name is ParameterName => (PARAMETER_NAMES as string[]).includes(name)

function readParameter(name: ParameterName, value: string, named: NamedAnalysis | null): Read {
  if (!(name in NUMBER_PARAMETERS)) return READERS[name as Exclude<ParameterName, NumberName>](value, named)
  const { kind, min, max } = NUMBER_PARAMETERS[name as NumberName]
  const number = GRAMMAR[min < 0 ? 'signed' : kind].test(value) ? Number(value) : Number.NaN
  if (number >= min && number <= max) return { [name]: number }
  return { rule: `must be ${kind === 'int' ? 'a whole number' : 'a number'} from ${min} to ${max}` }
}

function oneOf<T extends string>(names: readonly T[], value: string, read: (name: T) => Partial<Parameters>): Read {
  const name = names.find((one) => one === value)
  return name === undefined ? { rule: `must be one of ${names.join(', ')}`, ...nearest(value, names) } : read(name)
}

/** Reads kinds of further columns, in any order; none if empty. */
function readExtras(value: string): Read {
  const given = value === '' ? [] : value.split(',').map((each) => each.trim())
  const unknown = given.find((each) => !(EXTRAS as readonly string[]).includes(each))
  if (unknown !== undefined)
    return { rule: `must be kinds of columns, separated by commas: ${EXTRAS.join(', ')}`, ...nearest(unknown, EXTRAS) }
  const extras: Extra[] = EXTRAS.filter((each) => given.includes(each))
  return extras.length === 0 ? {} : { extras }
}

/** Reads names of AOIs between commas, each once; all if empty. */
function readNames(value: string): Read {
  const given = value.match(/\s*("([^"]|"")*"|[^,"]+)\s*(?=,|$)/g) ?? []
  if (given.join(',').length !== value.length)
    return { rule: 'must be names separated by commas, those with a comma in double quotes' }
  const names = given.map((each) => each.trim()).map((each) => each.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"'))
  return names.length === 0 ? {} : { aoiNames: [...new Set(names)] }
}

const TIME_RULE = `must be a whole number from 0 to ${WINDOW_MAX_MS}`

function readReadingFrom(value: string): Read {
  if (GRAMMAR.int.test(value)) return { readingFrom: Number(value) }
  const start = READING_STARTS.find((each): each is ReadingStart => each === value)
  if (start !== undefined) return start === 'first-fixation' ? {} : { readingFrom: start }
  const rule = `must be ${READING_STARTS.join(', ')}, or a whole number of ms from 0 to ${WINDOW_MAX_MS}`
  return { rule, ...nearest(value, READING_STARTS) }
}

function timeOr(value: string, read: (ms: number) => Partial<Parameters>): Read {
  return GRAMMAR.signed.test(value) ? read(Number(value)) : { rule: TIME_RULE }
}

/** Returns the faults of times before item onset, which only epochs of events may have. */
function beforeOnset({ eventType, ...parameters }: Parameters): Fault[] {
  if (eventType !== undefined) return []
  return (['fromMs', 'toMs'] as const).flatMap((parameter) => {
    const value = parameters[parameter] ?? 0
    return value < 0 ? { parameter, rule: `${TIME_RULE}, or less with eventType`, value: String(value) } : []
  })
}

function ofAnalysis({ reference, analysis: { ignored = [], offsets = [] } }: NamedAnalysis): Partial<Parameters> {
  return {
    analysis: reference,
    ...(ignored.length > 0 ? { ignored: ignored.map(({ participantId }) => participantId) } : {}),
    ...(offsets.length > 0 ? { offsets } : {}),
  }
}

/**
 * Returns the faults of pairs in the wrong order, each at the parameter that the request gives: a client that sets only
 * the maximum may not know that the minimum has a default. A pair with another fault is left out.
 *
 * @param all what the request and its analysis give
 */
function crossed(
  parameters: Parameters,
  given: Map<string, string[]>,
  all: Map<string, string[]>,
  faults: Fault[],
): Fault[] {
  const isFaulty = (name: string) => faults.some(({ parameter }) => parameter === name)
  return ORDERED.flatMap(({ low, high, isWindow }) => {
    const min = Number(parameters[low] ?? 0)
    const max = Number(parameters[high] ?? Number.POSITIVE_INFINITY)
    if (isFaulty(low) || isFaulty(high) || min < max || (min === max && !isWindow)) return []
    const is = (name: string, value: number) => `${name}, which is ${value}${all.has(name) ? '' : ' by default'}`
    if (!given.has(low)) {
      const rule = `must be ${isWindow ? 'more than' : 'at least'} ${is(low, min)}`
      return { parameter: high, rule, value: String(max) }
    }
    return {
      parameter: low,
      rule: `must be ${isWindow ? 'less than' : 'at most'} ${is(high, max)}`,
      value: String(min),
    }
  })
}
