import { isDeepStrictEqual } from 'node:util'
import { addProblem, newReport, type Report, throwReport } from '../../model/bundle-problems.ts'
import type { Snapshot, Study } from '../../model/study.ts'
import { type Origin, originOf, sha256Of } from '../../snapshot/snapshot-id.ts'
import type { GivenTest } from '../../snapshot/table-columns.ts'
import type { Change, Next } from '../change-study.ts'
import { orderTests } from '../complete-tables.ts'
import { type Image, mergeImages, type Parent } from '../parent-snapshot.ts'
import { rewritten, rowsOf, samplesKept } from '../rewrite-study.ts'
import type { Workspace } from '../workspace.ts'

/** Impact of a change of a study's description on recorded data. */
export type Impact = {
  /** Items that are other than before, or have other AOIs, by id; and how many tests and participants saw them. */
  itemIds: string[]
  tests: number
  participants: number
}

/** Further effects of a new description. */
type Besides = {
  /** Returns its pictures; those of the same names, if not given. */
  picturesOf?: (snapshot: Snapshot, study: Study) => Image[]
  /** Removes the tests of items that would be missing. */
  removesTests?: boolean
}

/**
 * Replaces flow, items and AOIs of a study, or some of them, over the same samples.
 *
 * @param describe makes the new description of the present one
 * @param onImpact told what it means, before anything is published
 * @throws ServiceError invalid_bundle when tests show an item that would be missing
 */
export function description(
  describe: (present: Study) => Study | Promise<Study>,
  onImpact: (impact: Impact) => void,
  { picturesOf = mergeImages, removesTests = false }: Besides = {},
): Change {
  return {
    did: 'study changed',
    isTold: true,
    next: async (present, workspace) => {
      const parent = await present.parent()
      const { snapshot, given } = parent
      const study = JSON.parse(JSON.stringify(await describe(snapshot.study))) as Study
      const report = newReport()
      if (!removesTests) reportMissing(study, given.tests, 'body', report)
      throwReport(report, 'the body')
      const images = picturesOf(snapshot, study)
      const itemIds = changedItems(snapshot.study, study)
      const tests = given.tests.filter(({ itemId }) => itemIds.includes(itemId))
      const participants = new Set(tests.map(({ participantId }) => participantId)).size
      onImpact({ itemIds, tests: tests.length, participants })
      if (isDeepStrictEqual(study, snapshot.study)) return null
      const origin = originOf(sha256Of(study), snapshot.id)
      return describedAnew(parent, study, images, origin, workspace)
    },
  }
}

/** Returns a study with another description over the same sample files, without the tests of missing items. */
export function describedAnew(
  parent: Parent,
  study: Study,
  images: Image[],
  origin: Origin,
  workspace: Workspace,
): Next {
  const { participants, tests: before } = parent.given
  const known = new Set(study.items.map(({ id }) => id))
  const shown = before.filter(({ itemId }) => known.has(itemId))
  const tests = orderTests(study, participants, shown)
  const stays = new Set(tests.map(({ id }) => id))
  const own = rowsOf(parent)
  const events = own.events.filter(({ testId }) => stays.has(testId))
  const rows = { ...own, study, tests, events, images }
  return rewritten(rows, samplesKept(parent, tests, workspace), origin, workspace)
}

/** Reports items that tests show and a description lacks. @param file that the description is in */
export function reportMissing({ items }: Study, tests: GivenTest[], file: string, { study: problems }: Report): void {
  const shown = new Map<string, number>()
  for (const { itemId } of tests) shown.set(itemId, (shown.get(itemId) ?? 0) + 1)
  for (const { id } of items) shown.delete(id)
  for (const [value, count] of shown) {
    const rule = `must hold every item that tests show, and ${count} show this one`
    addProblem(problems, { file, line: null, column: 'items', value, rule })
  }
}

function changedItems(before: Study, after: Study): string[] {
  const of = (study: Study, id: string) => [
    study.items.find((item) => item.id === id),
    study.aois.filter(({ itemId }) => itemId === id),
  ]
  const ids = new Set([...before.items, ...after.items].map(({ id }) => id))
  return [...ids].filter((id) => !isDeepStrictEqual(of(before, id), of(after, id)))
}
