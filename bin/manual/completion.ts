import { bashCompletion } from './bash.ts'
import type { CommandRow } from './command-table.ts'
import { fishCompletion } from './fish.ts'
import type { Shell } from './shells.ts'
import { zshCompletion } from './zsh.ts'

const MAKERS: Record<Shell, (table: CommandRow[]) => string> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** Returns the script that completes commands, options and their values in a shell. */
export function completionOf(shell: Shell, table: CommandRow[]): string {
  return MAKERS[shell](table)
}
