import { ServiceError } from '../engine/model/errors.ts'
import { checkParameters, PARAMETER_NAMES, type Parameters } from '../engine/model/parameters.ts'
import type { Config } from '../engine/model/settings.ts'
import type { Snapshot } from '../engine/model/study.ts'
import { openStore } from '../engine/snapshot/snapshots.ts'

/** Opens the study that `--study` names. @throws ServiceError not_found */
export async function snapshotOf(study: string, config: Config): Promise<Snapshot> {
  const snapshot = await openStore(config.dataDir).current(study)
  if (snapshot === null) throw new ServiceError('not_found', `there is no study ${study} in the data directory`)
  return snapshot
}

/** Reads the parameters of exports from the options of a command. @throws ServiceError invalid_param */
export function readParameters(options: Record<string, unknown>): Parameters {
  const given = PARAMETER_NAMES.filter((parameter) => options[parameter] !== undefined)
  const { parameters, faults } = checkParameters(
    new Map(given.map((parameter) => [parameter, [String(options[parameter])]])),
  )
  if (parameters !== null) return parameters
  const sentences = faults.map(
    ({ parameter, rule, value }) => `${flagOf(parameter)} ${rule}, got ${JSON.stringify(value)}`,
  )
  throw new ServiceError('invalid_param', sentences.join('; '), { faults })
}

/** Returns the option of a parameter. */
export function flagOf(parameter: string): string {
  return `--${parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
