import { spawnSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { compileProgram } from '../scripts/if-changed.mjs'

/**
 * Compiles what has changed for the threads that unit tests start: threads of Node 20 cannot load TypeScript, so they
 * load `dist`, and an old build would be tested. Again before each run of a watch. Types are left to `npm run check`.
 */
export function setup(project: TestProject): void {
  compile()
  project.onTestsRerun(async () => compile())
}

function compile(): void {
  const run = (args: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the threads of the tests could not be compiled:\n${stdout}`)
  }
  compileProgram(run, { checksTypes: false })
}
