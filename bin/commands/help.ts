import type { Command } from 'commander'
import { ServiceError } from '../../engine/model/errors.ts'
import { didYouMean, nearest } from '../../engine/model/nearest.ts'

/** Runs `gazette help`: prints the help of the program or of a command. @throws ServiceError usage */
export function help(gazette: Command, names: string[]): void {
  let command = gazette
  for (const name of names) {
    const inner = command.commands.find((each) => each.name() === name)
    if (inner === undefined) {
      const near = nearest(
        name,
        command.commands.map((each) => each.name()),
      ).nearest
      throw new ServiceError('usage', `there is no command ${name}${didYouMean(near)}`)
    }
    command = inner
  }
  command.outputHelp()
}
