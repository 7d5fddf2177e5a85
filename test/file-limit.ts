import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Returns whether this system can limit the open files of another process. */
export const canLimit = await run('prlimit', ['--version']).then(
  () => true,
  () => false,
)

/** Limits the files that a process may open to those with numbers below `files`. @returns what lifts the limit again */
export async function limitFiles(pid: number, files: number): Promise<() => Promise<void>> {
  const of = ['--pid', String(pid)]
  const { stdout } = await run('prlimit', [...of, '--nofile', '--output', 'SOFT', '--noheadings'])
  await run('prlimit', [...of, `--nofile=${files}:`])
  return async () => {
    await run('prlimit', [...of, `--nofile=${stdout.trim()}:`])
  }
}

/** The limit under which a process can open so many files more. */
export async function limitLeaving(pid: number, files: number): Promise<number> {
  const open = new Set((await readdir(`/proc/${pid}/fd`)).map(Number))
  let limit = 0
  for (let free = 0; free < files; limit++) if (!open.has(limit)) free++
  return limit
}
