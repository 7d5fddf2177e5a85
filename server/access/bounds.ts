import type { TokenRecord } from '../../engine/access/token-file.ts'
import type { Usage, Usages } from '../../engine/access/usage.ts'
import type { Config } from '../../engine/model/settings.ts'
import { ProblemError } from '../http/problems.ts'

type Bounds = Pick<Config, 'tokenMaxStudies' | 'tokenMaxParticipants' | 'tokenMaxGib'>

/** Enforces the quotas of a token before something is created. @throws ProblemError bound_reached */
export async function requireRoom(
  usages: Usages,
  { id }: TokenRecord,
  { tokenMaxStudies, tokenMaxParticipants, tokenMaxGib }: Bounds,
  { studies = 0, participants = 0, bytes = 0 }: Partial<Usage>,
): Promise<void> {
  const used = await usages.of(id)
  const over = (what: string, sum: number, max: number) => {
    if (sum > max) throw new ProblemError('bound_reached', { detail: `The token may create at most ${max} ${what}.` })
  }
  over('studies', used.studies + studies, tokenMaxStudies)
  over('participants', used.participants + participants, tokenMaxParticipants)
  over('bytes', used.bytes + bytes, tokenMaxGib * 2 ** 30)
}
