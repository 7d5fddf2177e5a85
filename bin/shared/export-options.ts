import { ServiceError } from '../../engine/model/errors.ts'
import { checkParameters, PARAMETER_NAMES, type Parameters } from '../../engine/model/parameters.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { itemIdOf } from './find-study.ts'

/** Reads the parameters of exports from the options of a command. @throws ServiceError invalid_param, usage */
export function readParameters({ item, ...others }: Record<string, unknown>, snapshot: Snapshot): Parameters {
  if (item !== undefined && others.itemId !== undefined)
    throw new ServiceError('usage', '--item and --item-id are the same: give one of them')
  const options = item === undefined ? others : { ...others, itemId: itemIdOf(snapshot, String(item)) }
  const given = PARAMETER_NAMES.filter((parameter) => options[parameter] !== undefined)
  const { parameters, faults } = checkParameters(
    new Map(given.map((parameter) => [parameter, [String(options[parameter])]])),
  )
  if (parameters !== null) return parameters
  const sentences = faults.map(
    ({ parameter, rule, value, nearest }) =>
      `${flagOf(parameter)} ${rule}, got ${JSON.stringify(value)}${nearest ? `; did you mean ${nearest}?` : ''}`,
  )
  throw new ServiceError('invalid_param', sentences.join('; '), { faults })
}

/** Returns the option of a parameter. */
export function flagOf(parameter: string): string {
  return `--${parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
