import { filterFaults } from '../../engine/filter/read-filter.ts'
import { checkParameters } from '../../engine/model/check-parameters.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import { didYouMean } from '../../engine/model/nearest.ts'
import { PARAMETER_NAMES, type ParameterName, type Parameters, trimFilter } from '../../engine/model/parameters.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { findAnalysis } from '../../engine/snapshot/analyses/find-analysis.ts'
import { itemIdOf } from './find-study.ts'
import { flagOf } from './flag-of.ts'

/** Replaces the names of parameters in a rule by their options. */
function withFlags(rule: string): string {
  return rule.replace(/\b[a-z]+([A-Z][a-z]*)+\b/g, (word) =>
    (PARAMETER_NAMES as string[]).includes(word) ? flagOf(word) : word,
  )
}

/** The options of parameters of exports, as they are given. */
export type ParameterOptions = Partial<Record<ParameterName | 'item', string>>

/** Reads the parameters of exports from the options of a command. @throws ServiceError invalid_param, usage */
export async function readParameters({ item, ...others }: ParameterOptions, snapshot: Snapshot): Promise<Parameters> {
  if (item !== undefined && others.itemId !== undefined)
    throw new ServiceError('usage', '--item and --item-id mean the same: give one of them')
  const options = item === undefined ? others : { ...others, itemId: itemIdOf(snapshot, String(item)) }
  const given = PARAMETER_NAMES.filter((parameter) => options[parameter] !== undefined)
  const asked = new Map(given.map((parameter) => [parameter, [String(options[parameter])]]))
  const named = await findAnalysis(snapshot, asked.get('analysis'))
  const { parameters, faults } = checkParameters(asked, [], named)
  if (named !== null) faults.push(...filterFaults(trimFilter(String(options.filter ?? '')), snapshot))
  if (parameters !== null && faults.length === 0) return parameters
  const sentences = faults.map(
    ({ parameter, rule, value, nearest }) =>
      `${flagOf(parameter)} ${withFlags(rule)}, got ${JSON.stringify(value)}${didYouMean(nearest)}`,
  )
  throw new ServiceError('invalid_param', sentences.join('; '), { faults })
}
