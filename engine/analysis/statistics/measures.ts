import { mean } from './descriptive.ts'

/** One value for each participant who has one, in order of appearance. */
export type ParticipantValues = { participantIds: string[]; values: Float64Array }

/**
 * Returns the value of each participant: the mean over their tests with a value.
 *
 * @param participantIds of each test, of length n
 * @param values of each test, of length n; NaN for none
 */
export function valuesOfParticipants(participantIds: string[], values: Float64Array): ParticipantValues {
  const found = new Map<string, number[]>()
  for (const [i, id] of participantIds.entries()) {
    if (Number.isNaN(values[i])) continue
    const own = found.get(id)
    if (own) own.push(values[i])
    else found.set(id, [values[i]])
  }
  return { participantIds: [...found.keys()], values: Float64Array.from(found.values(), mean) }
}
