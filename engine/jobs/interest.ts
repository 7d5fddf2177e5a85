import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isCode, unlessThere } from '../files/durable.ts'
import { namesIn } from '../files/optional-files.ts'
import type { Job } from './job.ts'
import { jobPath } from './job-paths.ts'

/** A token's interest in an attempt at a job: an empty file by/<token id>.<attempt>, in which no bit can turn. */

const TOKEN_ID = /^[\w-]{1,128}$/
const NAME = /^([\w-]{1,128})\.(\d{1,9})$/

/** Reads the name of a file in `by`; null when it is none of ours. */
export function interestOf(name: string): { tokenId: string; attempt: number } | null {
  const [, tokenId, attempt] = NAME.exec(name) ?? []
  return tokenId === undefined ? null : { tokenId, attempt: Number(attempt) }
}

/** Checks that a token id is safe in file names. @throws Error otherwise */
export function checkTokenId(tokenId: string): void {
  if (!TOKEN_ID.test(tokenId)) throw new Error('a token id must be safe in file names')
}

/** Notes that a token asks for an attempt. @throws ENOENT when the job has been taken away meanwhile */
export async function noteInterest(root: string, id: string, attempt: number, tokenId: string): Promise<void> {
  const path = jobPath(root, id, 'by', `${tokenId}.${attempt}`)
  try {
    await writeFile(path, '')
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
    await mkdir(dirname(path)).catch(unlessThere)
    await writeFile(path, '')
  }
}

export async function dropInterest(root: string, id: string, tokenId: string): Promise<void> {
  for (const name of await namesIn(jobPath(root, id, 'by'))) {
    if (interestOf(name)?.tokenId === tokenId) await rm(jobPath(root, id, 'by', name), { force: true })
  }
}

/** Lists the ids of the tokens that asked for this very attempt and have not withdrawn. */
export async function interestedIn(root: string, { id, attempt }: Pick<Job, 'id' | 'attempt'>): Promise<string[]> {
  const interests = (await namesIn(jobPath(root, id, 'by'))).map(interestOf)
  return interests.filter((each) => each?.attempt === attempt).map((each) => each!.tokenId)
}
