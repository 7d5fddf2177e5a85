import { type Argument, type Command, Help, type Option } from 'commander'

/** Values of an argument or an option: one of some words, a file or folder, or any text. */
export type OptionValues = readonly string[] | 'files' | 'text'

export type OptionRow = {
  /** With its dashes, such as `--output`. */
  long: string
  /** Such as `-o`. */
  short: string | null
  /** Such as `-o, --output <file>`. */
  flags: string
  about: string
  /** null for a flag. */
  value: OptionValues | null
}

export type CommandRow = {
  /** Such as `gazette token create`. */
  path: string
  /** Such as `<name>`. */
  usage: string
  about: string
  /** null if it takes none. */
  argument: OptionValues | null
  options: OptionRow[]
  /** Commands below it, by their own names. */
  commands: { name: string; about: string }[]
}

/** Lists all commands with their options, as completion and the man page need them; the program itself is the first. */
export function commandTable(program: Command): CommandRow[] {
  return rowsFrom(program, 'gazette')
}

function rowsFrom(command: Command, path: string): CommandRow[] {
  const row = {
    path,
    usage: command.registeredArguments.map(argumentText).join(' '),
    about: command.description(),
    argument: valuesOfAll(command.registeredArguments),
    options: [...command.options.filter(({ hidden }) => !hidden).map(optionRow), HELP],
    commands: command.commands.map((inner) => ({ name: inner.name(), about: inner.description() })),
  }
  return [row, ...command.commands.flatMap((inner) => rowsFrom(inner, `${path} ${inner.name()}`))]
}

const HELP: OptionRow = { long: '--help', short: '-h', flags: '-h, --help', about: 'list the options', value: null }

function optionRow(option: Option): OptionRow {
  const { long, short = null, flags, argChoices } = option
  const takesValue = option.required || option.optional
  const about = new Help().optionDescription(option)
  const value = takesValue ? (argChoices ?? valuesNamed(flags.replace(/^.*</, ''))) : null
  return { long: String(long), short: short ?? null, flags, about, value }
}

function valuesOfAll(all: readonly Argument[]): OptionValues | null {
  const values = all.map((each) => each.argChoices ?? valuesNamed(each.name()))
  return values.find((each) => each !== 'text') ?? values[0] ?? null
}

function valuesNamed(name: string): OptionValues {
  return /file|dir|path|parts/.test(name) ? 'files' : 'text'
}

/** Formats an argument as the help shows it. */
export function argumentText(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name()
  return argument.required ? `<${name}>` : `[${name}]`
}
