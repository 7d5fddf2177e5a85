import { createInterface } from 'node:readline/promises'
import { ServiceError } from '../../engine/model/errors.ts'
import type { Config } from '../../engine/model/settings.ts'
import { type ChosenNames, type GuessedMapping, guessMapping } from '../../engine/recordings/any-table/guess-mapping.ts'
import { lookAtColumns } from '../../engine/recordings/any-table/look-at-columns.ts'
import { derivedTable } from '../../engine/recordings/text/derived-tables.ts'
import { tableHead } from '../../engine/recordings/text/foreign-table.ts'
import { findSourceFiles, type SourceFile } from '../../engine/recordings/text/source-files.ts'
import { closing } from '../../engine/storage/concurrency/closing.ts'
import { convert, type ForeignOptions } from '../given/convert-foreign.ts'
import { givenPaths } from '../given/given-paths.ts'
import { makeFolder } from '../output/new-folder.ts'
import { askMapping } from '../terminal/ask-mapping.ts'
import { stoppable } from '../terminal/stoppable.ts'

/** Runs `gazette convert`. */
export async function convertCommand({
  paths,
  output,
  guess = false,
  config,
  ...options
}: ForeignOptions & { paths: string[]; output?: string; guess?: boolean; config: Config }): Promise<void> {
  if (guess) return printGuess(paths)
  if (output === undefined) throw new ServiceError('usage', 'gazette convert needs -o DIR, or --guess')
  await stoppable((signal) => makeFolder(output, 'a bundle', (aside) => convert(paths, aside, options, config, signal)))
  console.log(output)
}

/** Proposes columns with one value for each participant, such as a condition, as external data. */
async function withConditions(mapping: GuessedMapping, table: SourceFile): Promise<GuessedMapping> {
  const { conditions } = await lookAtColumns(table, mapping)
  const notes = conditions.map(
    ({ column, values }) =>
      `${column} has one value for each participant (${values.slice(0, VALUES_SHOWN).join(', ')}${values.length > VALUES_SHOWN ? ', …' : ''}): it becomes external data; name it in tags for a tag, or in neither`,
  )
  const externalData = conditions.map(({ column }) => column)
  return { ...mapping, externalData, notes: [...mapping.notes, ...notes] }
}

const VALUES_SHOWN = 5

/**
 * Prints a mapping of the first table of samples among the files; on a terminal, asks the user about what is in doubt.
 */
async function printGuess(paths: string[]): Promise<void> {
  const files = await findSourceFiles(givenPaths(paths))
  const table = files.find((file) => tableHead(file) !== null && derivedTable(file) === null) ?? files[0]
  if (!table) throw new ServiceError('usage', `${paths[0]} has no files`)
  const guessed = async (chosen: ChosenNames = {}) => withConditions(await guessMapping(table, files, chosen), table)
  let mapping = await guessed()
  for (const doubt of mapping.notes) console.error(`Check: ${doubt}.`)
  if (process.stdin.isTTY && process.stderr.isTTY) {
    await closing(createInterface({ input: process.stdin, output: process.stderr }), async (terminal) => {
      mapping = await askMapping(mapping, tableHead(table)!.header, (question) => terminal.question(question), guessed)
    })
  }
  console.log(JSON.stringify(mapping, null, 2))
}
