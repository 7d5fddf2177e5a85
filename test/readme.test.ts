import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { program } from '../bin/command-line.ts'
import { EXPORTS } from '../engine/exports/registry.ts'
import { FORMATS } from '../engine/formats/formats.ts'
import {
  ANALYSIS_MEANING,
  CHOICE_PARAMETERS,
  type ChoiceParameter,
  EXTRAS,
  EXTRAS_MEANING,
  FILTER_MEANING,
  LOOK_NAMES,
  NUMBER_PARAMETERS,
  PARAMETER_NAMES,
  WINDOW_PARAMETERS,
} from '../engine/model/parameters.ts'
import { SETTINGS } from '../engine/model/settings.ts'

const path = new URL('../docs/reference.md', import.meta.url)
const README = new URL('../README.md', import.meta.url)
/** One screen or two. */
const README_BYTES_MAX = 9000

const namesOf = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ')

const choiceRow = (name: ChoiceParameter, others = '') => {
  const { values, meaning } = CHOICE_PARAMETERS[name]
  return [`\`${name}\``, namesOf(values) + others, namesOf(values.slice(0, 1)), meaning]
}

const tables: Record<string, string[][]> = {
  exports: [
    ['export', 'path', 'one row per'],
    ...EXPORTS.map(({ name, path, variant, rowPer }) => [
      `\`${name}\``,
      `\`${path}${variant && variant !== 'raw' ? `?variant=${variant}` : ''}\``,
      rowPer,
    ]),
  ],
  parameters: [
    ['parameter', 'range', 'default', 'what it does'],
    ['`itemId`', 'a UUID', 'all items', 'Only this item; empty, `NULL` and `null` mean all'],
    choiceRow('preset'),
    choiceRow('detector'),
    choiceRow('eye'),
    ...Object.entries(NUMBER_PARAMETERS).map(([name, { min, max, unit, default: value, meaning }]) => [
      `\`${name}\``,
      `${min} to ${max} ${unit}`,
      String(value),
      meaning,
    ]),
    ...Object.entries(WINDOW_PARAMETERS).map(([name, meaning]) => [
      `\`${name}\``,
      '0 to 999999999 ms; with `eventType`, from -999999999 on',
      'none',
      meaning,
    ]),
    ['`eventType`', 'a name', 'item onset', LOOK_NAMES.eventType],
    ['`aoiNames`', 'names', 'all', LOOK_NAMES.aoiNames],
    choiceRow('denominator'),
    choiceRow('readingFrom', ', or ms'),
    choiceRow('lines'),
    ['`extras`', EXTRAS.map((name) => `\`${name}\``).join(', '), 'none', EXTRAS_MEANING],
    ['`filter`', 'up to 2000 characters', 'all tests', FILTER_MEANING],
    ['`analysis`', 'a name', 'none', ANALYSIS_MEANING],
  ],
  formats: [
    ['format', '`Accept`', 'gzip'],
    ...FORMATS.map(({ name, title, mediaTypes, hasGzip }) => [
      `\`${name}\`: ${title}`,
      mediaTypes.map((type) => `\`${type}\``).join(', ') || 'only by `?format=`',
      hasGzip ? 'if the client accepts it' : 'never, encoded inside',
    ]),
  ],
  settings: [
    ['setting', 'unit', 'default', 'range', 'meaning'],
    ...SETTINGS.map(({ name, unit, default: fallback, range, meaning }) => [
      `\`${name}\``,
      unit,
      name === 'ENGINE_THREADS' ? 'cores' : fallback,
      range,
      meaning,
    ]),
  ],
}

describe('the reference', () => {
  // With -u they are written, else compared.
  test('lists every export, parameter, format and setting, as the code has them', async () => {
    let text = readFileSync(path, 'utf8')
    for (const [name, rows] of Object.entries(tables)) {
      const lines = rows.map((row) => `| ${row.join(' | ')} |`)
      lines.splice(1, 0, `|${'---|'.repeat(rows[0].length)}`)
      const between = new RegExp(`(<!-- ${name}: [^>]*-->\n)([\\s\\S]*?)(<!-- /${name} -->)`)
      expect(between.test(text), name).toBe(true)
      text = text.replace(between, (_all, open, _old, close) => `${open}${lines.join('\n')}\n${close}`)
    }
    await expect(text).toMatchFileSnapshot(fileURLToPath(path))
  })
  test('has a row for each parameter', () => {
    const named = tables.parameters.slice(1).map(([name]) => name.replaceAll('`', ''))
    expect(named.toSorted()).toEqual(PARAMETER_NAMES.toSorted())
  })
  test('names every command', () => {
    const text = readFileSync(path, 'utf8')
    for (const { name } of program().commands.map((command) => ({ name: command.name() }))) {
      expect(text, `gazette ${name}`).toMatch(new RegExp(`\`gazette ${name}`))
    }
  })
  test('begins each table of the command line with a command that there is', () => {
    const named = [...readFileSync(path, 'utf8').matchAll(/^\| `gazette (\w+)/gm)].map(([, name]) => name)
    const known = program().commands.map((command) => command.name())
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  })
})

describe('the README', () => {
  test('is short', () => {
    expect(readFileSync(README).byteLength).toBeLessThan(README_BYTES_MAX)
  })
  test('has no dead link to a file', () => {
    const links = [...readFileSync(README, 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => target)
    expect(links.length).toBeGreaterThan(0)
    for (const target of links) expect(() => readFileSync(new URL(target, README)), target).not.toThrow()
  })
})
