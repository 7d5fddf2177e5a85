import type { CommandRow, OptionRow, OptionValues } from './command-table.ts'

/** Returns the completion for fish. */
export function fishCompletion(table: CommandRow[]): string {
  const paths = table.slice(1).map(({ path }) => quoted(path))
  return `# Completion of gazette for fish, made by \`gazette completion fish\`.
function __gazette_at
  set -l at gazette
  for word in (commandline -opc)
    if contains -- "$at $word" ${paths.join(' ')}
      set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
complete -c gazette -f
${table.flatMap(linesOf).join('\n')}
`
}

function linesOf({ path, options, commands, argument }: CommandRow): string[] {
  const beginning = `complete -c gazette -n ${quoted(`__gazette_at ${path}`)}`
  const words =
    commands.length > 0
      ? commands.map(({ name, about }) => `-a ${quoted(name)} -d ${quoted(about)}`)
      : valuesText(argument, '-F').filter((text) => text !== '')
  return [...words, ...options.map(optionLine)].map((line) => `${beginning} ${line}`)
}

function optionLine({ long, short, about, value }: OptionRow): string {
  const names = [`-l ${long.slice(2)}`, short === null ? '' : `-s ${short.slice(1)}`]
  const values = value === 'text' ? ['-x'] : valuesText(value, '-r -F').map((text) => text.replace(/^-a/, '-x -a'))
  return [...names, ...values, `-d ${quoted(about)}`].filter((text) => text !== '').join(' ')
}

function valuesText(value: OptionValues | null, files: string): string[] {
  if (value === null || value === 'text') return []
  return value === 'files' ? [files] : [`-a ${quoted(value.join(' '))}`]
}

/** Quotes a text for fish, in which a backslash escapes between quotes, too. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
