import { type GazeSums, qualityGrade } from '../compute/grade.ts'
import { compareInstants, instantKey } from '../model/instant.ts'
import { itemShownBy, itemsInOrder } from '../model/output-order.ts'
import type { DisplayRectangle, Item, Study } from '../model/study.ts'
import type { Given, GivenParticipant, GivenTest, ParticipantRow, TestRow } from '../snapshot/table-columns.ts'

/**
 * The order of output and the missing facts. Both depend on everything a study holds, so they are
 * made anew from what the bundles gave whenever a snapshot is made: then several imports give what one would.
 */

/** Orders participants by the instant of `createdAt`, empty last, then by id. */
export function orderParticipants(participants: GivenParticipant[]): GivenParticipant[] {
  return participants
    .map((participant) => ({ participant, key: instantKey(participant.createdAt) }))
    .sort((a, b) => compareInstants(a.key, b.key) || compareText(a.participant.id, b.participant.id))
    .map(({ participant }) => participant)
}

/** Orders tests by item, participant, display order (empty last), then id. */
export function orderTests(study: Study, ordered: GivenParticipant[], tests: GivenTest[]): GivenTest[] {
  const itemRank = new Map(itemsInOrder(study).map(({ id }, rank) => [id, rank]))
  const participantRank = new Map(ordered.map(({ id }, rank) => [id, rank]))
  const rank = ({ itemId, participantId, displayOrder }: GivenTest) => [
    itemRank.get(itemId)!,
    participantRank.get(participantId)!,
    displayOrder ?? Number.POSITIVE_INFINITY,
  ]
  return tests
    .map((test) => ({ test, rank: rank(test) }))
    .sort((a, b) => {
      for (let i = 0; i < 3; i++) if (a.rank[i] !== b.rank[i]) return a.rank[i] - b.rank[i]
      return compareText(a.test.id, b.test.id)
    })
    .map(({ test }) => test)
}

/** Returns the ids of items that any step shows with scrolling. */
function scrollingItems({ steps }: Study): Set<string> {
  const isScrolling = (step: unknown) =>
    (step as { stimuli?: { isScrollingEnabled?: unknown } }).stimuli?.isScrollingEnabled === true
  return new Set(
    steps.filter((step) => itemShownBy(step) !== null && isScrolling(step)).map((step) => itemShownBy(step)!),
  )
}

/**
 * Returns where the item stood, in px of the window: as given, otherwise fitted into the window; null with neither
 * cells nor window.
 */
function displayRectangle(
  { display, browserWidthPx, browserHeightPx }: GivenTest,
  { widthPx, heightPx }: Item,
  isScrolling: boolean,
): DisplayRectangle | null {
  if (display !== null) return display
  if (browserWidthPx === null || browserHeightPx === null) return null
  if (widthPx === null || heightPx === null)
    return { leftPx: 0, topPx: 0, widthPx: browserWidthPx, heightPx: browserHeightPx }
  const scaleX = browserWidthPx / widthPx
  const scale = isScrolling ? scaleX : Math.min(scaleX, browserHeightPx / heightPx)
  const displayed = { widthPx: widthPx * scale, heightPx: heightPx * scale }
  if (isScrolling) return { leftPx: 0, topPx: 0, ...displayed }
  return {
    leftPx: (browserWidthPx - displayed.widthPx) / 2,
    topPx: (browserHeightPx - displayed.heightPx) / 2,
    ...displayed,
  }
}

const GENDERS = ['female', 'male', 'other']

/**
 * The rows of a snapshot's tables. Those of tests are made one by one as they are written: all at once they take a
 * gibibyte for half a million.
 */
export type FilledTables = { participants: ParticipantRow[]; tests: Iterable<TestRow> }

type Filling = Omit<Given, 'validations' | 'events'>

/**
 * Fills in what the bundles did not give.
 *
 * @param given participants and tests in the order of output, with what was measured in each test's samples and where
 * they lie
 */
export function fillFacts(study: Study, given: Filling): FilledTables {
  return { participants: fillParticipants(given), tests: fillTests(study, given) }
}

function* fillTests(study: Study, given: Filling): Generator<TestRow> {
  const itemIndexes = new Map(study.items.map(({ id }, i) => [id, i]))
  const participantIndexes = new Map(given.participants.map(({ id }, i) => [id, i]))
  const scrolling = scrollingItems(study)
  for (const [i, test] of given.tests.entries()) {
    const measured = given.measured[i]
    const itemIndex = itemIndexes.get(test.itemId)!
    // Field by field: of a copy by `...test` whose fields are then replaced, V8 keeps a kilobyte for each.
    const filled = {
      id: test.id,
      createdAt: test.createdAt,
      displayOrder: test.displayOrder,
      durationUs: test.durationUs,
      finishedOnKey: test.finishedOnKey,
      hasFinishedOnClick: test.hasFinishedOnClick,
      browserWidthPx: test.browserWidthPx,
      browserHeightPx: test.browserHeightPx,
      notes: test.notes,
      itemIndex,
      participantIndex: participantIndexes.get(test.participantId)!,
      clickCount: test.clickCount ?? measured.clickCount,
      qualityGradeItem: test.qualityGradeItem ?? qualityGrade([measured]),
      display: displayRectangle(test, study.items[itemIndex], scrolling.has(test.itemId)),
      sampleCount: measured.sampleCount,
    }
    yield { filled, given: test, measured, place: given.places[i] }
  }
}

function fillParticipants({ participants, tests, measured }: Filling): ParticipantRow[] {
  const sums = new Map<string, GazeSums[]>(participants.map(({ id }) => [id, []]))
  for (const [i, { participantId }] of tests.entries()) sums.get(participantId)!.push(measured[i])
  return participants.map((given) => {
    const displayGender = given.displayGender || (given.gender === null ? '' : GENDERS[given.gender])
    const filled = {
      id: given.id,
      externalId: given.externalId,
      createdAt: given.createdAt,
      displayName: given.displayName,
      age: given.age,
      gender: given.gender,
      displayGender,
      qualityGrade: given.qualityGrade ?? qualityGrade(sums.get(given.id)!),
      isCompleted: given.isCompleted,
      notes: given.notes,
      tags: given.tags,
      externalData: given.externalData,
    }
    return { filled, given }
  })
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
