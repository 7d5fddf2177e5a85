import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { compileProgram } from '../scripts/if-changed.mjs'

/**
 * Compiles what has changed for the threads that unit tests start: threads of Node 20 cannot load TypeScript, so they
 * load `dist`, and an old build would be tested. Again before each run of a watch. Types are left to `npm run check`.
 */
export async function setup(project: TestProject): Promise<void> {
  await compile()
  project.onTestsRerun(compile)
}

async function compile(): Promise<void> {
  const run = (args: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the threads of the tests could not be compiled:\n${stdout}`)
  }
  await compileProgram(run, { checksTypes: false })
}
