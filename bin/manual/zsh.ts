import type { CommandRow, OptionValues } from './command-table.ts'
import { knownPaths, optionCases, shellQuoted } from './shell-cases.ts'

/** Returns the completion for zsh, for a folder of $fpath or to be evaluated. */
export function zshCompletion(table: CommandRow[]): string {
  return `#compdef gazette
# Completion of gazette for zsh, made by \`gazette completion zsh\`.
_gazette() {
  local before=$words[CURRENT-1] at=gazette i
  local -a options found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      (${knownPaths(table)}) at="$at $words[i]" ;;
    esac
  done
  case "$at $before" in
${optionCases(table, given, '(').join('\n')}
  esac
  case "$at" in
${table.map(commandCase).join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe option options
  elif (( \${#found} )) && [[ $found[1] == files ]]; then
    _files
  else
    _describe argument found
  fi
}
compdef _gazette gazette
if [[ $funcstack[1] == _gazette ]]; then _gazette "$@"; fi
`
}

function given(value: OptionValues): string {
  if (value === 'text') return `_message 'a text'; return`
  return value === 'files' ? '_files; return' : `compadd -- ${value.map(shellQuoted).join(' ')}; return`
}

function commandCase({ path, options, commands, argument }: CommandRow): string {
  const shown = options.map(({ long, about }) => entry(long, about)).join(' ')
  const found =
    commands.length > 0 ? commands.map(({ name, about }) => entry(name, about)).join(' ') : argumentWords(argument)
  return `    (${shellQuoted(path)}) options=(${shown}) found=(${found}) ;;`
}

/** Formats a word with its description, as `_describe` reads it. */
function entry(word: string, about: string): string {
  return shellQuoted(`${word.replaceAll(':', '\\:')}:${about}`)
}

function argumentWords(argument: OptionValues | null): string {
  if (argument === null || argument === 'text') return ''
  return argument === 'files' ? 'files' : argument.map(shellQuoted).join(' ')
}
