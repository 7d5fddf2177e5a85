import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { changedAt, isThere, namesIn, readJson, removeIfEmpty } from '../files/optional-files.ts'
import { FILE_NAME, JOB_ID, type JobEnd, type JobFiles } from './job-files.ts'

/**
 * Deletes what dead processes left behind before `olderThan`: parts, files without a good end, half-made directories.
 *
 * @param isRunning whether somebody is at an attempt
 */
export async function tidyJobs(
  files: JobFiles,
  olderThan: Date,
  isRunning: (id: string, attempt: number) => Promise<boolean>,
): Promise<void> {
  const { root, pathOf, endPath } = files
  const isOld = async (path: string) => ((await changedAt(path)) ?? Number.POSITIVE_INFINITY) < olderThan.getTime()
  for (const name of await namesIn(root)) {
    if (name.startsWith('.removed-')) await rm(join(root, name), { recursive: true, force: true })
    if (name.endsWith('.tmp') && (await isOld(join(root, name)))) await rm(join(root, name), { force: true })
  }
  for (const id of (await namesIn(root)).filter((name) => JOB_ID.test(name))) {
    if (!(await isThere(pathOf(id, 'plan.json')))) {
      // File by file and only if empty, since a request may be filling it again.
      if (!(await isOld(pathOf(id)))) continue
      for (const name of await namesIn(pathOf(id, 'by'))) await rm(pathOf(id, 'by', name), { force: true })
      for (const name of (await namesIn(pathOf(id))).filter((name) => name !== 'by' && name !== 'plan.json')) {
        await rm(pathOf(id, name), { force: true })
      }
      await removeIfEmpty(pathOf(id, 'by'))
      await removeIfEmpty(pathOf(id))
      continue
    }
    await forgetEarlier(files, id)
    for (const name of await namesIn(pathOf(id))) {
      const attempt = Number.parseInt(name, 10)
      const isPart = name.endsWith('.part') || name.endsWith('.tmp')
      const isFile = FILE_NAME.test(name)
      if (!(isPart || isFile) || !(await isOld(pathOf(id, name)))) continue
      if (isFile && (await readJson<JobEnd>(endPath(id, attempt)))?.state === 'succeeded') continue
      if (!(attempt > 0) || !(await isRunning(id, attempt))) await rm(pathOf(id, name), { force: true })
    }
  }
}

/** Once an attempt has ended, nobody asks how often it was tried, or how those before it ended. */
async function forgetEarlier({ pathOf, read }: JobFiles, id: string): Promise<void> {
  const job = await read(id)
  if (!job?.end) return
  for (const name of await namesIn(pathOf(id))) {
    const [, attempt, what] = /^(\d+)\.(tries|end\.json)$/.exec(name) ?? []
    if (what === 'tries' || Number(attempt) < job.attempt) await rm(pathOf(id, name), { force: true })
  }
}
