import type { CommandRow, OptionValues } from './command-table.ts'

/** Quotes a text for bash and zsh. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Returns the paths of all commands below the program, as alternatives of a `case`. */
export function knownPaths(table: CommandRow[]): string {
  return table
    .slice(1)
    .map(({ path }) => shellQuoted(path))
    .join('|')
}

/** Returns a line of a `case` for each option that takes a value; it matches the command and the option. */
export function optionCases(table: CommandRow[], act: (value: OptionValues) => string, open = ''): string[] {
  return table.flatMap(({ path, options }) =>
    options.flatMap(({ long, short, value }) => {
      if (value === null) return []
      const names = [short, long].filter((name) => name !== null).map((name) => shellQuoted(`${path} ${name}`))
      return [`    ${open}${names.join('|')}) ${act(value)} ;;`]
    }),
  )
}
