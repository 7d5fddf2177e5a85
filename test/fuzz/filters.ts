import { chance, pick, type Random, wholeBetween } from '../../demo/random.ts'
import { filterColumns } from '../../engine/filter/columns.ts'
import { readFilter } from '../../engine/filter/read-filter.ts'
import { literalRows, NAMES } from '../engine/filter/literal-rows.ts'
import { claim, type Fuzzer, NASTY } from './fuzzer.ts'
import { claimLinear, within } from './growth.ts'

const FILTER_MS = 10_000
const TEXT_COLUMNS = ['participant_external_id', 'participant_display_name', 'external_data_g', 'test_finished_on_key']
const ROWS = 40
/** A test's own bounds of a text. */
const TEXT_MAX = 1000

/** Filters by the grammar, repeated until they are as long as they may be, over texts that are made for them. */
export const FILTERS: Fuzzer = {
  name: 'filters',
  open: async () => {
    const open = new Set<Awaited<ReturnType<typeof literalRows>>>()
    const rowsOf = async (text: string) => {
      const facts = Array.from({ length: ROWS }, (_, i) => ({
        participant_external_id: text.slice(i),
        participant_display_name: `${text.slice(i)}c`,
        external_data_g: i % 5 === 0 ? null : text,
        test_finished_on_key: text,
        participant_tags: [text.slice(0, 60)],
      }))
      const rows = await literalRows(facts)
      open.add(rows)
      return rows
    }
    const round = async (random: Random) => {
      const filter = filterOf(random)
      const { fault } = readFilter(filter, filterColumns(NAMES))
      if (fault !== null) return claim(/^must /.test(fault.rule), `${fault.rule} for ${filter}`)
      const unit = pick(random, ['a', 'ab', 'aab', 'é', '🙂', '_%', '0'])
      await claimLinear(filter, TEXT_MAX / 8, async (size) => {
        const rows = await rowsOf(unit.repeat(size / unit.length))
        await within(FILTER_MS, filter, rows.truths(filter))
      })
      for (const rows of open) await rows.remove()
      open.clear()
    }
    return {
      round,
      close: async () => {
        for (const rows of open) await rows.remove()
      },
    }
  },
}

/** Returns a filter of at most 2,000 characters. */
function filterOf(random: Random): string {
  const most = pick(random, [60, 300, 2000])
  let text = condition(random, most)
  while (chance(random, 0.8)) {
    const longer = `${text} ${pick(random, ['AND', 'OR'])} ${condition(random, most)}`
    if (longer.length > most) break
    text = longer
  }
  return text.length <= 2000 ? text : 'TRUE'
}

function condition(random: Random, most: number): string {
  const column = pick(random, TEXT_COLUMNS)
  const kind = wholeBetween(random, 0, 6)
  if (kind <= 2) return `${column} ${chance(random, 0.2) ? 'NOT ' : ''}LIKE '${patternOf(random, most - 60)}'`
  if (kind === 3) return `${column} IN (${repeated(random, () => `'${quoted(random)}'`, most / 2, ',')})`
  if (kind === 4) return `TRY_CAST(${column} AS DOUBLE) BETWEEN -1.5 AND ${'9'.repeat(wholeBetween(random, 1, 15))}`
  if (kind === 5) {
    const depth = wholeBetween(random, 1, 64)
    return `${pick(random, ['NOT ', '(']).repeat(depth)}${column} IS NULL`.replace(/^\(+/, (all) =>
      all.replaceAll('(', 'NOT '),
    )
  }
  return `list_contains(participant_tags, '${quoted(random)}')`
}

/** Returns a pattern that is one piece again and again, with an end that fits nowhere, or somewhere. */
function patternOf(random: Random, most: number): string {
  const signs = ['%', '%', '_', '_', 'a', 'b', '🙂']
  const piece = Array.from({ length: wholeBetween(random, 1, 5) }, () => pick(random, signs)).join('')
  const times = wholeBetween(random, 1, Math.max(1, Math.floor(most / piece.length)))
  return pick(random, ['', '%', 'a%']) + piece.repeat(times) + pick(random, ['', 'b', '%', 'c%', '_'])
}

function quoted(random: Random): string {
  const text = pick(random, NASTY)
  return text.length > 60 || /\p{Cc}/u.test(text) ? 'x' : text.replaceAll("'", "''")
}

function repeated(random: Random, make: () => string, most: number, between: string): string {
  let text = make()
  while (text.length < most && chance(random, 0.97)) text += between + make()
  return text
}
