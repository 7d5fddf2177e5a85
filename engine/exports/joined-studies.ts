import { DIFFERENCES, type Difference } from '../model/differences.ts'
import { ServiceError } from '../model/errors.ts'
import { canonicalJson, type Plan } from '../model/plan.ts'
import type { Snapshot, Study } from '../model/study.ts'
import { columnsOf } from './columns/columns-of.ts'
import type { ExportEntry } from './columns/export-entry.ts'
import { studyFacts } from './columns/study-facts.ts'
import { exportOf } from './registry.ts'

/** A study whose rows are joined with those of others, and the parameters of its tables. */
export type Joined = { snapshot: Snapshot; parameters: Plan['parameters'] }

/** Number of values of a difference, and of studies of each, that a message names. */
const SHOWN_MAX = 3

/**
 * Refuses to join studies that differ, unless that difference is named.
 *
 * @param despite differences that are accepted
 * @param matters differences that concern what is made of the studies
 * @throws ServiceError usage, naming all differences with their values and studies
 */
export function refuseDifferences(
  joined: Joined[],
  despite: readonly Difference[],
  matters: readonly Difference[] = DIFFERENCES,
): void {
  const found = matters.flatMap((difference) => {
    const words = despite.includes(difference) ? null : WORDS[difference](joined)
    return words === null ? [] : [{ difference, words }]
  })
  if (found.length === 0) return
  const told = found.map(({ difference, words }) => `${difference} (${words})`).join(', ')
  const names = found.map(({ difference }) => difference).join()
  throw new ServiceError('usage', `the studies differ in ${told}: add --despite ${names} to join them all the same`)
}

/** Returns the differences that concern an export. */
export function differencesOf({ takesPupil, needsAois, takesLooks }: ExportEntry): Difference[] {
  const others = DIFFERENCES.filter((each) => each !== 'pupils' && each !== 'aois')
  return [
    ...others,
    ...(takesPupil ? (['pupils'] as const) : []),
    ...(needsAois || takesLooks ? (['aois'] as const) : []),
  ]
}

/**
 * Refuses an export whose rows of several studies would not be one table.
 *
 * @throws ServiceError usage if the studies have different columns, or no column names the study
 */
export function refuseColumns(sources: { plan: Plan; snapshot: Snapshot }[]): void {
  const [first, ...others] = sources.map(({ plan, snapshot }) =>
    columnsOf(exportOf(plan.export), studyFacts(snapshot), plan.parameters).map(({ name }) => name),
  )
  const { export: name } = sources[0].plan
  if (!first.includes('study_id'))
    throw new ServiceError('usage', `${name} has no column study_id, so it is made of one study: export each alone`)
  for (const [i, names] of others.entries()) {
    if (canonicalJson(names) === canonicalJson(first)) continue
    const odd = [...first.filter((each) => !names.includes(each)), ...names.filter((each) => !first.includes(each))]
    const which = odd.length === 0 ? 'in another order' : odd.slice(0, SHOWN_MAX).join(', ')
    throw new ServiceError(
      'usage',
      `${titleOf(sources[0].snapshot.study)} and ${titleOf(sources[i + 1].snapshot.study)} have different columns of ${name} (${which}), which cannot be one table: gazette sql joins them, with NULL where a study has none`,
    )
  }
}

const WORDS: Record<Difference, (joined: Joined[]) => string | null> = {
  screens: (joined) => inGroups(joined, ({ snapshot }) => screenWords(snapshot.study)),
  rates: (joined) =>
    inGroups(joined, ({ snapshot }) => {
      const { nominalSamplingRateHz: rate } = snapshot.study.recording ?? {}
      return rate === undefined ? 'unknown' : `${rate} Hz`
    }),
  pupils: (joined) => inGroups(joined, ({ snapshot }) => snapshot.study.recording?.pupilUnit ?? 'no unit'),
  items: (joined) =>
    haveSameTags(joined) ? null : missingIn(joined, ({ items }) => items.map(({ filename }) => filename)),
  aois: (joined) => (haveSameTags(joined) ? null : missingIn(joined, aoiNames)),
  settings: differingSettings,
}

/** Returns whether AOIs of all studies have the same tags, by which they can be compared whatever the items are. */
function haveSameTags(joined: Joined[]): boolean {
  const [first, ...others] = joined.map(({ snapshot: { study } }) =>
    [...new Set(study.aois.flatMap(({ tags = [] }) => tags))].sort().join('\n'),
  )
  return first !== '' && others.every((tags) => tags === first)
}

function screenWords({ recording = {} }: Study): string {
  const { screenWidthPx, screenHeightPx, screenWidthCm, screenHeightCm, viewingDistanceCm } = recording
  const known = [
    screenWidthPx && screenHeightPx && `${screenWidthPx} × ${screenHeightPx} px`,
    screenWidthCm && screenHeightCm && `${screenWidthCm} × ${screenHeightCm} cm`,
    viewingDistanceCm && `at ${viewingDistanceCm} cm`,
  ].filter(Boolean)
  return known.length === 0 ? 'unknown' : known.join(', ')
}

function aoiNames({ items, aois }: Study): string[] {
  const names = new Map(items.map(({ id, filename }) => [id, filename]))
  return aois.map(({ itemId, name }) => `${name} of ${names.get(itemId)}`)
}

/** Returns the values of studies, each with its studies; null if all have the same. */
function inGroups(joined: Joined[], wordsOf: (one: Joined) => string): string | null {
  const groups = new Map<string, string[]>()
  for (const one of joined) {
    const words = wordsOf(one)
    groups.set(words, [...(groups.get(words) ?? []), titleOf(one.snapshot.study)])
  }
  if (groups.size === 1) return null
  return shortened(
    [...groups].map(([words, titles]) => `${words} in ${shortened(titles, ' and ')}`),
    '; ',
  )
}

/** Returns the first names that a study has and another lacks; null if all have the same. */
function missingIn(joined: Joined[], namesOf: (study: Study) => string[]): string | null {
  const all = new Set(joined.flatMap(({ snapshot }) => namesOf(snapshot.study)))
  const missing = joined.flatMap(({ snapshot: { study } }) => {
    const own = new Set(namesOf(study))
    return [...all].filter((name) => !own.has(name)).map((name) => `${name} is not in ${titleOf(study)}`)
  })
  return missing.length === 0 ? null : shortened(missing, '; ')
}

/** Names what an analysis of one name sets differently in each study; ids of items and participants do not count. */
function differingSettings(joined: Joined[]): string | null {
  const settings = joined.map(({ parameters }) => {
    const { itemId: _, analysis: _analysis, ignored: _ignored, offsets: _offsets, ...rest } = parameters
    return rest as Record<string, unknown>
  })
  const names = [...new Set(settings.flatMap((each) => Object.keys(each)))]
  const differing = names.filter((name) => new Set(settings.map((each) => canonicalJson(each[name] ?? null))).size > 1)
  return differing.length === 0 ? null : shortened(differing, ', ')
}

function shortened(words: string[], between: string): string {
  const rest = words.length - SHOWN_MAX
  return rest > 0 ? `${words.slice(0, SHOWN_MAX).join(between)}${between}${rest} more` : words.join(between)
}

function titleOf({ id, name }: Study): string {
  return name || id
}
