import { describeAois, tagsOf } from '../exports/columns/aoi-identity.ts'
import type { Counts } from '../exports/columns/export-entry.ts'
import { exportOf } from '../exports/registry.ts'
import { checkRows, formatOf } from '../formats/formats.ts'
import type { Plan } from '../model/plan.ts'
import type { Item, Snapshot } from '../model/study.ts'
import { refuseUnknownEvent } from '../snapshot/rows/read-events.ts'
import { countSamples, type Selection, selectTests } from '../snapshot/selection.ts'
import { encode, quote } from '../text/cells.ts'

/**
 * Estimates the samples and bytes of a plan from the counts in the snapshot, without reading samples. The bytes are an
 * upper bound, unless tests differ much in their numbers of events.
 *
 * @throws ServiceError format_limit for a table that is known to have more rows than its format holds
 */
export async function estimatePlan(
  plan: Plan,
  snapshot: Snapshot,
  signal?: AbortSignal,
): Promise<{ samples: number; bytes: number }> {
  const entry = exportOf(plan.export)
  const counts = countSelected(plan, snapshot, await selectPlanned(plan, snapshot, signal))
  checkLeastRows(plan, counts.samples)
  const { bytesPerCsvByte, frameBytes } = formatOf(plan)
  const bytes = frameBytes + entry.estimateBytes(counts, plan.parameters) * epochsOf(plan, counts) * bytesPerCsvByte
  return { samples: entry.reads.length > 0 ? counts.samples : 0, bytes }
}

/** Returns the epochs of a test in the mean, if all events had the name. */
function epochsOf({ parameters }: Plan, { events, tests }: Counts): number {
  return parameters.eventType === undefined ? 1 : Math.max(1, Math.ceil(events / Math.max(1, tests)))
}

/** Refuses a plan whose table is known to have too many rows for its format. @throws ServiceError format_limit */
export function checkLeastRows(plan: Plan, samples: number): void {
  checkRows(formatOf(plan), exportOf(plan.export).leastRows?.({ samples }) ?? 0)
}

/** Returns the tests that a plan selects. @throws as `selectTests`, invalid_param for an unknown event */
export async function selectPlanned(
  { parameters }: Plan,
  snapshot: Snapshot,
  signal?: AbortSignal,
): Promise<Selection> {
  const { itemId = null, participantQualityGradeItemMin = 1, filter = null, ignored, eventType } = parameters
  if (eventType !== undefined) await refuseUnknownEvent(snapshot, eventType)
  return selectTests(snapshot, { itemId, gradeMin: participantQualityGradeItemMin, filter, ignored }, signal)
}

function countSelected(plan: Plan, snapshot: Snapshot, selection: Selection): Counts {
  const { itemId } = plan.parameters
  const aoisByItem = aoiBytesByItem(snapshot)
  const counts = {
    tests: selection.n,
    samples: countSamples(selection),
    events: snapshot.manifest.counts.events ?? 0,
    aoiTests: 0,
    aoiTestBytes: 0,
    aois: 0,
    aoiBytes: 0,
    tagTests: 0,
    tagTestBytes: 0,
  }
  for (let i = 0; i < selection.n; i++) {
    const { aois, bytes, tags, tagBytes } = aoisByItem[selection.itemIndexes[i]]
    counts.aoiTests += aois
    counts.aoiTestBytes += bytes
    counts.tagTests += tags
    counts.tagTestBytes += tagBytes
  }
  for (const [index, item] of snapshot.study.items.entries()) {
    if (itemId && item.id !== itemId) continue
    counts.aois += aoisByItem[index].aois
    counts.aoiBytes += aoisByItem[index].bytes
  }
  return counts
}

type OfItem = { aois: number; bytes: number; tags: number; tagBytes: number }

const known = new WeakMap<Snapshot, OfItem[]>()

function aoiBytesByItem(snapshot: Snapshot): OfItem[] {
  const made = known.get(snapshot) ?? snapshot.study.items.map((item) => aoiBytesOf(snapshot, item))
  known.set(snapshot, made)
  return made
}

/** Counts the AOIs and tags of an item, and the bytes of their text cells. */
function aoiBytesOf({ study }: Snapshot, item: Item): OfItem {
  const { n, names, parts } = describeAois(study.aois, item)
  const tags = tagsOf(study.aois.filter(({ itemId }) => itemId === item.id))
  return { aois: n, bytes: bytesOf([...names, ...parts]) + 80 * n, tags: tags.length, tagBytes: bytesOf(tags) }
}

function bytesOf(texts: string[]): number {
  return texts.reduce((sum, text) => sum + encode(quote(text)).length, 0)
}
