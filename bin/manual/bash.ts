import type { CommandRow, OptionValues } from './command-table.ts'
import { knownPaths, optionCases, shellQuoted } from './shell-cases.ts'

/** Returns the completion for bash 3.2 and later. */
export function bashCompletion(table: CommandRow[]): string {
  return `# Completion of gazette for bash, made by \`gazette completion bash\`.
_gazette() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} at=gazette options= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${knownPaths(table)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $before" in
${optionCases(table, given).join('\n')}
  esac
  case "$at" in
${table.map(commandCase).join('\n')}
  esac
  if [[ $current == -* ]]; then words=$options; fi
  if [[ $words == files ]]; then _gazette_files; else COMPREPLY=($(compgen -W "$words" -- "$current")); fi
}
_gazette_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _gazette gazette
`
}

function given(value: OptionValues): string {
  if (value === 'text') return 'return'
  return value === 'files'
    ? '_gazette_files; return'
    : `COMPREPLY=($(compgen -W ${shellQuoted(value.join(' '))} -- "$current")); return`
}

function commandCase({ path, options, commands, argument }: CommandRow): string {
  const words = commands.length > 0 ? commands.map(({ name }) => name).join(' ') : argumentWords(argument)
  return `    ${shellQuoted(path)}) options=${shellQuoted(options.map(({ long }) => long).join(' '))} words=${shellQuoted(words)} ;;`
}

function argumentWords(argument: OptionValues | null): string {
  if (argument === null || argument === 'text') return ''
  return argument === 'files' ? 'files' : argument.join(' ')
}
