import type { TokenRecord } from '../../engine/access/token-file.ts'
import type { Usage, Usages } from '../../engine/access/usage.ts'
import type { Config } from '../../engine/model/settings.ts'
import { ProblemError } from '../http/problems.ts'

type Bounds = Pick<Config, 'tokenMaxStudies' | 'tokenMaxParticipants' | 'tokenMaxGib'>

/** Enforces the quotas of a token before the body is read. @throws ProblemError bound_reached */
export async function requireRoom(
  usages: Usages,
  { id }: TokenRecord,
  bounds: Bounds,
  { studies = 0, participants = 0, bytes = 0 }: Partial<Usage>,
): Promise<void> {
  const used = await usages.of(id)
  refuseOver(bounds, {
    studies: used.studies + studies,
    participants: used.participants + participants,
    bytes: used.bytes + bytes,
  })
}

/**
 * Counts what a token is about to create, and enforces its quotas, also among concurrent requests.
 *
 * @param create creates it; what it throws takes the count back, and so does the function that it gets
 * @throws ProblemError bound_reached; what `create` throws
 */
export async function withinBounds<T>(
  usages: Usages,
  { id }: TokenRecord,
  bounds: Bounds,
  added: Partial<Usage>,
  create: (takeBack: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { sum, takeBack } = await usages.reserve(id, added)
  try {
    refuseOver(bounds, sum)
    return await create(takeBack)
  } catch (error) {
    await takeBack()
    throw error
  }
}

function refuseOver({ tokenMaxStudies, tokenMaxParticipants, tokenMaxGib }: Bounds, sum: Usage): void {
  const over = (what: string, count: number, max: number) => {
    if (count > max) throw new ProblemError('bound_reached', { detail: `The token may create at most ${max} ${what}.` })
  }
  over('studies', sum.studies, tokenMaxStudies)
  over('participants', sum.participants, tokenMaxParticipants)
  over('bytes', sum.bytes, tokenMaxGib * 2 ** 30)
}
