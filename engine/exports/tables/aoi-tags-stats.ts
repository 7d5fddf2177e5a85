import { fixationsByAoi } from '../../compute/aoi-grid.ts'
import { hasGaze } from '../../compute/gaze.ts'
import { column, fractions, type Value, wholes } from '../../model/columns.ts'
import { tagsOf } from '../columns/aoi-identity.ts'
import { personalColumns } from '../columns/columns-of.ts'
import type { ExportEntry } from '../columns/export-entry.ts'
import { WHO } from '../columns/identity.ts'
import { NO_NOTES, NOTES } from '../columns/notes.ts'
import { asPlain, valueCells } from '../columns/person-cells.ts'
import { FIXATION_FILTER } from './fixations.ts'
import { meanMs } from './mean-ms.ts'

/**
 * Sums over the tests of a participant in a shard, or in all shards, by tag; `who` has the values about the
 * participant.
 */
type PersonSums = { index: number; who: Value[]; tags: Map<string, TagSums> }

/** Whole µs and counts; `items` are ids. `hits` are tests with a fixation; the last three are sums over these. */
type TagSums = {
  items: Set<string>
  tests: number
  count: number
  totalUs: number
  hits: number
  ttffUs: number
  firstDurationUs: number
  revisits: number
}

const PER_TEST = 'mean over the tests'
const OVER_HITS = 'mean over the tests with a fixation'

/** One row for each participant and tag: the AOIs of a tag count as one on each item, and then over all items. */
export const aoiTagsStats: ExportEntry = {
  name: 'aoi-tags-stats',
  path: 'eye-tracking/aois-all/tags-stats',
  variant: null,
  title: 'AOI tags per participant',
  rowPer: 'participant and tag of AOIs',
  listed: [...FIXATION_FILTER, 'participantQualityGradeItemMin'],
  takesWindow: true,
  columns: [
    ...WHO.map(asPlain),
    column('aoi_tag', 'string', '', 'Tag of AOIs on one item or several', null, { isGuarded: true }),
    column('tag_item_count', 'int', 'items', 'Items with the tag that the participant saw'),
    column('tag_test_count', 'int', 'tests', 'Tests of these items with valid gaze'),
    column('tag_hit_count', 'int', 'tests', 'Those of them with a fixation in an AOI of the tag'),
    column('tag_hit_percents', 'number', '% of the tests', 'Share of these tests with such a fixation'),
    column('tag_fixation_count', 'int', 'fixations', 'Fixations in AOIs of the tag'),
    column('tag_fixations_per_test', 'number', 'fixations', `The same, ${PER_TEST}`),
    column('tag_dwell_ms', 'int', 'ms', 'Sum of the durations of these fixations'),
    column('tag_dwell_per_test_ms', 'int', 'ms', `The same, ${PER_TEST}`),
    column('tag_ttff_ms', 'int', 'ms', `Time to first fixation from item onset, ${OVER_HITS}`, ''),
    column('tag_first_fixation_duration_ms', 'int', 'ms', `Duration of that fixation, ${OVER_HITS}`, ''),
    column('tag_revisits', 'number', 'visits', `Visits after the first, ${OVER_HITS}`, ''),
    NOTES,
  ],
  ownColumns: (facts) => personalColumns(facts).map(asPlain),
  needsAois: true,
  reads: ['gazeXPx', 'gazeYPx', 'scrollYPx'],
  estimateBytes: ({ tagTests, tagTestBytes }) => tagTests * 500 + tagTestBytes,
  kind: 'sums',
  addTest: (run, context, sums) => {
    const { item, participant, test } = run.identity
    const { names, grid } = context.tagGridOf(item)
    if (names.length === 0 || !hasGaze(run.samples)) return
    const person = (sums.get(participant.id) ?? {
      index: test.participantIndex,
      who: [...WHO, ...personalColumns(context.facts)].map((each) => each.value(run.identity)),
      tags: new Map(),
    }) as PersonSums
    sums.set(participant.id, person)
    const fixations = context.fixationsOf(run, context.gazeOf(run))
    const { count, firstStartUs, totalUs, firstDurationUs, revisits } = fixationsByAoi(grid, fixations)
    for (const [t, name] of names.entries()) {
      const isHit = count[t] > 0
      addSums(person, name, {
        items: new Set([item.id]),
        tests: 1,
        count: count[t],
        totalUs: totalUs[t],
        hits: isHit ? 1 : 0,
        ttffUs: isHit ? firstStartUs[t] : 0,
        firstDurationUs: isHit ? firstDurationUs[t] : 0,
        revisits: isHit ? revisits[t] : 0,
      })
    }
  },
  combine: function* ({ aois }, _plan, parts, facts) {
    const tags = tagsOf(aois)
    const who = [...WHO, ...personalColumns(facts)]
    const rows = joinParts(parts).flatMap((person) =>
      tags.flatMap((tag, tagIndex) => {
        const of = person.tags.get(tag)
        return of === undefined ? [] : [{ person, tagIndex, of }]
      }),
    )
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE)
      const numbers = (value: (of: TagSums) => number) => Float64Array.from(some, ({ of }) => value(of))
      const person = who.map((each, c) =>
        valueCells(
          each,
          some.map((row) => row.person.who[c]),
        ),
      )
      const cells = [
        ...person.slice(0, WHO.length),
        { kind: 'texts' as const, dictionary: tags, indexes: Int32Array.from(some, ({ tagIndex }) => tagIndex) },
        wholes(numbers(({ items }) => items.size)),
        wholes(numbers(({ tests }) => tests)),
        wholes(numbers(({ hits }) => hits)),
        fractions(numbers(({ hits, tests }) => (100 * hits) / tests)),
        wholes(numbers(({ count }) => count)),
        fractions(numbers(({ count, tests }) => count / tests)),
        wholes(numbers(({ totalUs }) => meanMs(BigInt(totalUs), 1))),
        wholes(numbers(({ totalUs, tests }) => meanMs(BigInt(totalUs), tests))),
        wholes(numbers(({ ttffUs, hits }) => meanMs(BigInt(ttffUs), hits))),
        wholes(numbers(({ firstDurationUs, hits }) => meanMs(BigInt(firstDurationUs), hits))),
        fractions(numbers(({ revisits, hits }) => revisits / hits)),
        ...person.slice(WHO.length),
        NO_NOTES,
      ]
      yield { n: some.length, cells }
    }
  },
}

const ROWS_AT_ONCE = 1 << 14

function addSums(person: PersonSums, tag: string, sums: TagSums): void {
  const known = person.tags.get(tag)
  if (known === undefined) {
    person.tags.set(tag, sums)
    return
  }
  for (const id of sums.items) known.items.add(id)
  for (const name of ['tests', 'count', 'totalUs', 'hits', 'ttffUs', 'firstDurationUs', 'revisits'] as const)
    known[name] += sums[name]
}

/** Merges the sums of all shards, in the order of participants, since tests of one participant may be in several. */
function joinParts(parts: Iterable<Map<string, unknown>>): PersonSums[] {
  const people = new Map<string, PersonSums>()
  for (const part of parts as Iterable<Map<string, PersonSums>>)
    for (const [id, { index, who, tags }] of part) {
      const known = people.get(id) ?? { index, who, tags: new Map() }
      people.set(id, known)
      for (const [tag, sums] of tags) addSums(known, tag, { ...sums, items: new Set(sums.items) })
    }
  return [...people.values()].sort((a, b) => a.index - b.index)
}
