import { SETTINGS } from '../../engine/model/settings.ts'
import type { CommandRow } from './command-table.ts'

/** Returns the man page gazette(1). */
export function manPage([program, ...commands]: CommandRow[]): string {
  return `.\\" Made from the table of commands: npm run renew
.TH GAZETTE 1 "" Gazette "User Commands"
.SH NAME
gazette \\- eye\\-tracking exports from recordings
.SH SYNOPSIS
.B gazette
.I COMMAND
.RI [ arguments ]
.RI [ options ]
.SH DESCRIPTION
Gazette stores eye\\-tracking studies and computes tables from them: at once, by jobs, over HTTP or by these commands.
.BR "gazette help" " \\fICOMMAND\\fR"
lists the options of a command.
.SH COMMANDS
${commands.map(sectionOf).join('\n')}
.SH OPTIONS
${program.options.map(entryOf).join('\n')}
.SH EXIT STATUS
.TP
0
done
.TP
1
failed
.TP
2
wrong usage
.SH ENVIRONMENT
Each setting may have the prefix
.BR GAZETTE_ ,
which takes precedence.
${SETTINGS.map(({ name, meaning, range, unit, default: fallback }) => settingOf(name, meaning, [range, unit].filter(Boolean).join(' '), fallback)).join('\n')}
`
}

function sectionOf({ path, usage, about, options }: CommandRow): string {
  const own = options.filter(({ long }) => long !== '--help')
  return [`.SS "${escaped([path, usage].filter(Boolean).join(' '))}"`, line(about), ...own.map(entryOf)].join('\n')
}

function entryOf({ flags, about }: { flags: string; about: string }): string {
  return `.TP\n.B "${escaped(flags)}"\n${line(about)}`
}

function settingOf(name: string, meaning: string, range: string, fallback: string): string {
  const told = [meaning, `Range: ${range}`, `Default: ${fallback || 'empty'}`].map((text) => text.replace(/\.$/, ''))
  return `.TP\n.B ${escaped(name)}\n${line(`${told.join('. ')}.`)}`
}

/** Escapes a text of one line; one that begins with a dot or an apostrophe would be a request. */
function line(text: string): string {
  return escaped(text).replace(/^[.']/, '\\&$&')
}

function escaped(text: string): string {
  const ascii = (sign: string) => `\\[u${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replace(/[^ -~]/gu, ascii)
}
