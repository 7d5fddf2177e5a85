import { basename, delimiter, dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Returns the command that calls this program again from the same directory.
 *
 * @param script as the process got it: if it is a link, the link
 */
export function programName(script: string, env: NodeJS.ProcessEnv, cwd: string): string {
  const file = basename(script)
  // `npm start` and `npm run gazette` in a clone. npx sets this, too, for everything that it starts.
  if (file === 'setup.mjs' || (file === 'gazette' && env.npm_lifecycle_event === 'npx')) return 'npx gazette'
  if (file === 'gazette' && (env.PATH ?? '').split(delimiter).includes(dirname(script))) return 'gazette'
  const path = relative(cwd, script)
  const near = path.startsWith('..') ? script : path
  const word = /^[\w@%+=:,./\\-]+$/.test(near) ? near : JSON.stringify(near)
  if (file !== 'gazette') return `node ${word}`
  return /[/\\]/.test(word) ? word : `./${word}`
}

/** Command that calls this program again, for advice. */
export const PROGRAM = programName(
  resolve(process.argv[1] ?? fileURLToPath(new URL('../gazette.cjs', import.meta.url))),
  process.env,
  process.cwd(),
)

const COMMANDS =
  'analyse|analyses|check|completion|compose|convert|copy|demo|describe|export|help|import|methods|remove|serve|settings|sql|start|studies|token|version|watch|webhook|work'
const NAMED = new RegExp(`\\bgazette(?= (?:--help|(?:${COMMANDS})\\b))`, 'g')

/** Replaces `gazette` in a sentence by the command that calls this program. */
export function asCalled(text: string, program = PROGRAM): string {
  return text.replace(NAMED, program)
}
