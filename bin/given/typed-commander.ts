import type * as typed from '@commander-js/extra-typings'
import * as commander from 'commander'

/** Commander's classes, with the types of the options and arguments that a command declares. */
export const { Argument, Command, InvalidArgumentError, Option } = commander as unknown as typeof typed

/** A command with arguments `A` and options `O`. */
export type CommandOf<A extends unknown[] = [], O extends typed.OptionValues = Record<never, never>> = typed.Command<
  A,
  O
>

/** Returns a command as Commander's own type, for code that reads any of them. */
export function untyped(command: typed.CommandUnknownOpts | CommandOf): commander.Command {
  return command as unknown as commander.Command
}

/** Returns a function that adds options to a command, and their types to its own. */
export function adding<More extends typed.OptionValues>(add: (command: CommandOf) => CommandOf<[], More>) {
  return <A extends unknown[], O extends typed.OptionValues>(command: CommandOf<A, O>): CommandOf<A, O & More> =>
    add(command as unknown as CommandOf) as unknown as CommandOf<A, O & More>
}

/** Names of what is given to a command that does not read it. */
type Unread<Known, Given> = Exclude<keyof Given, keyof Known | 'data'>

/** Nothing more if a command reads all that is given, and takes its types; else what does not fit. */
export type Fits<Known, Given> = [Unread<Known, Given>] extends [never]
  ? Omit<Given, 'data'> extends Omit<Known, 'config'>
    ? unknown
    : { mustFit: Omit<Known, 'config'> }
  : { isNotRead: Unread<Known, Given> }
