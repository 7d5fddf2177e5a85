import { mkdir, rm, writeFile } from 'node:fs/promises'
import { namesIn, readText } from '../store/optional-files.ts'
import type { Job } from './job.ts'
import { interestPath, jobPath } from './job-paths.ts'

/** A token's interest in a job: a file by/<token id>, which holds the attempt that the token asked for. */

/** Notes that a token asked for an attempt. @throws ENOENT when the job has been taken away meanwhile */
export async function noteInterest(root: string, id: string, attempt: number, tokenId: string): Promise<void> {
  const path = interestPath(root, id, tokenId)
  if ((await readText(path)) !== String(attempt)) await writeFile(path, String(attempt))
}

/** The same for a job whose directory may not be made yet. */
export async function noteFirstInterest(root: string, id: string, tokenId: string): Promise<void> {
  await mkdir(jobPath(root, id, 'by'), { recursive: true })
  await writeFile(interestPath(root, id, tokenId), '1')
}

export async function dropInterest(root: string, id: string, tokenId: string): Promise<void> {
  await rm(interestPath(root, id, tokenId), { force: true })
}

/** Lists the ids of the tokens that asked for this very attempt and have not withdrawn. */
export async function interestedIn(root: string, { id, attempt }: Job): Promise<string[]> {
  const asked = await Promise.all(
    (await namesIn(jobPath(root, id, 'by'))).map(async (tokenId) =>
      (await readText(jobPath(root, id, 'by', tokenId))) === String(attempt) ? [tokenId] : [],
    ),
  )
  return asked.flat()
}
