import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { program } from '../../bin/command-line.ts'
import { type CommandRow, commandTable } from '../../bin/manual/command-table.ts'
import { completionOf } from '../../bin/manual/completion.ts'
import { manPage } from '../../bin/manual/man-page.ts'
import { SHELLS } from '../../bin/manual/shells.ts'
import { JSON_ANSWERS } from '../../bin/output/json-answers.ts'
import { SETTINGS } from '../../engine/model/settings.ts'

const table = commandTable(program())

test('docs/command-line.schema.json describes what commands print with --json', async () => {
  const $defs = Object.fromEntries(
    Object.entries(JSON_ANSWERS).map(([name, schema]) => {
      const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input' })
      return [name, described]
    }),
  )
  const described = { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs }
  await expect(`${JSON.stringify(described, null, 2)}\n`).toMatchFileSnapshot('../../docs/command-line.schema.json')
})

test('every command with --json has its schema', () => {
  const withJson = table.filter(({ options }) => options.some(({ long }) => long === '--json')).map(({ path }) => path)
  const described = Object.values(JSON_ANSWERS).length
  expect(withJson).toHaveLength(described)
})

test('man/gazette.1 is made from the table of commands', async () => {
  await expect(manPage(table)).toMatchFileSnapshot('../../man/gazette.1')
  const { files, man } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect([man, files]).toEqual(['man/gazette.1', expect.arrayContaining(['man'])])
})

test('the man page has every command and setting, and no line of text that is a request', () => {
  const page = manPage(table)
  for (const { path } of table.slice(1)) expect(page).toContain(`.SS "${path.replaceAll('-', '\\-')}`)
  for (const { name } of SETTINGS) expect(page).toContain(`.B ${name}\n`)
  const row: CommandRow = { ...table[1], about: "'a' \\ .b…", options: [] }
  expect(manPage([table[0], row])).toContain('\n\\(aqa\\(aq \\e .b\\[u2026]\n')
  expect(manPage([table[0], { ...row, about: '.so x' }])).toContain('\n\\&.so x\n')
})

test.each(SHELLS)('completion for %s names every command and long option', (shell) => {
  const script = completionOf(shell, table)
  for (const { path, options } of table) {
    expect(script).toContain(path)
    for (const { long } of options) expect(script).toContain(shell === 'fish' ? `-l ${long.slice(2)}` : long)
  }
})

test.each([
  ['zsh', "'--to:it'\\''s: 5 \\ 7'"],
  ['fish', "-d 'it\\'s: 5 \\\\ 7'"],
] as const)('descriptions are quoted for %s', (shell, quoted) => {
  const option = { long: '--to', short: null, flags: '--to', about: "it's: 5 \\ 7", value: null }
  expect(completionOf(shell, [table[0], { ...table[1], options: [option] }])).toContain(quoted)
})
