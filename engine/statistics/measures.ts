import { mean } from './descriptive.ts'

/** A value for each participant who has one, in the order in which they come. */
export type ParticipantValues = { participantIds: string[]; values: Float64Array }

/**
 * Returns each participant's value: the mean over their tests that have one.
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
