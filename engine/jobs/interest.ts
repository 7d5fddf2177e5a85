import type { Job } from './record/job.ts'
import { type JobPlace, jobPath } from './record/job-paths.ts'

/**
 * A token's interest in an attempt at a job: an empty file by/<token id>.<attempt>, whose content cannot be damaged.
 */

const TOKEN_ID = /^[\w-]{1,128}$/
const NAME = /^([\w-]{1,128})\.(\d{1,9})$/

/** Parses the name of a file in `by`; null for any other file. */
export function interestOf(name: string): { tokenId: string; attempt: number } | null {
  const [, tokenId, attempt] = NAME.exec(name) ?? []
  return tokenId === undefined ? null : { tokenId, attempt: Number(attempt) }
}

/** Checks that a token id is safe in file names. @throws Error otherwise */
export function checkTokenId(tokenId: string): void {
  if (!TOKEN_ID.test(tokenId)) throw new Error('a token id must be safe in file names')
}

/** Records the interest of a token in an attempt. @throws ENOENT when the job has been taken away meanwhile */
export async function noteInterest({ storage }: JobPlace, id: string, attempt: number, tokenId: string): Promise<void> {
  await storage.touch(jobPath(id, 'by', `${tokenId}.${attempt}`))
}

export async function dropInterest({ storage }: JobPlace, id: string, tokenId: string): Promise<void> {
  for (const name of await storage.names(jobPath(id, 'by')))
    if (interestOf(name)?.tokenId === tokenId) await storage.remove(jobPath(id, 'by', name))
}

/** Returns true if a token requested a job, also one of an earlier version, which did not name the attempt. */
export async function askedFor({ storage }: JobPlace, id: string, tokenId: string): Promise<boolean> {
  return (await storage.names(jobPath(id, 'by'))).some(
    (name) => name === tokenId || interestOf(name)?.tokenId === tokenId,
  )
}

/** Lists the ids of the tokens that requested exactly this attempt and have not withdrawn. */
export async function interestedIn(
  { storage }: JobPlace,
  { id, attempt }: Pick<Job, 'id' | 'attempt'>,
): Promise<string[]> {
  const interests = (await storage.names(jobPath(id, 'by'))).map(interestOf)
  return interests.filter((each) => each?.attempt === attempt).map((each) => each!.tokenId)
}
