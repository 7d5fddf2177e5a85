import { spawnSync } from 'node:child_process'

/** Returns whether a program that a test needs besides Node is installed and supports this. */
export function canRun(file: string, ...args: string[]): boolean {
  return spawnSync(file, args).status === 0
}

/** The first Python that has pandas, else the first that there is; PYTHON may name another one. */
const PYTHONS = [process.env.PYTHON ?? 'python3', 'python3', '/usr/bin/python3']
export const PYTHON =
  PYTHONS.find((each) => canRun(each, '-c', 'import pandas')) ?? PYTHONS.find((each) => canRun(each, '-V')) ?? 'python3'
