import { type GazeSums, qualityGrade } from '../compute/grade.ts'
import type { DisplayRectangle, Item, Participant, Study, Test } from '../study.ts'
import { compareInstants, instantKey } from './instant.ts'
import type { Given, GivenParticipant, GivenTest, Measured } from './tables.ts'

/**
 * The order of output (SPEC section 7) and the missing facts (section 2). Both depend on everything a study holds, so they are
 * made anew from what the bundles gave whenever a snapshot is made: then several imports give what one would.
 */

/** By the instant of `createdAt`, empty last, then id. */
export function orderParticipants(participants: GivenParticipant[]): GivenParticipant[] {
  return participants
    .map((participant) => ({ participant, key: instantKey(participant.createdAt) }))
    .sort((a, b) => compareInstants(a.key, b.key) || compareText(a.participant.id, b.participant.id))
    .map(({ participant }) => participant)
}

/** By item, participant, display order, empty last, then id. */
export function orderTests(study: Study, ordered: GivenParticipant[], tests: GivenTest[]): GivenTest[] {
  const itemRank = new Map(itemsInFlow(study).map((id, rank) => [id, rank]))
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

/** Ids of all items: those of the flow by their first place in it, then the others as in study.json. */
function itemsInFlow({ steps, items }: Study): string[] {
  const known = new Set(items.map(({ id }) => id))
  const shown = steps.map((step) => shownItem(step)?.id).filter((id) => id !== undefined && known.has(id)) as string[]
  return [...new Set([...shown, ...known])]
}

/** Ids of items that any step shows with scrolling. */
export function scrollingItems({ steps }: Study): Set<string> {
  const shown = steps.map(shownItem).filter((item) => item?.isScrolling)
  return new Set(shown.map((item) => item!.id))
}

function shownItem(step: unknown): { id: string; isScrolling: boolean } | null {
  const { type, stimuli } = step as { type?: unknown; stimuli?: { id?: unknown; isScrollingEnabled?: unknown } | null }
  if (type !== 'stimuli' || typeof stimuli?.id !== 'string') return null
  return { id: stimuli.id.toLowerCase(), isScrolling: stimuli.isScrollingEnabled === true }
}

/** Where the item stood, in px of the window: as given, else fitted to the window; null with neither cells nor window. */
export function displayRectangle(
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

/** Where a test's samples lie. */
export type Place = { file: number; ordinal: number }

/**
 * The tables of a snapshot, complete.
 *
 * @param given participants and tests in the order of output, with what was measured in each test's samples
 * @param places of each test
 */
export function fillFacts(study: Study, given: Given, places: Place[]): { participants: Participant[]; tests: Test[] } {
  const itemIndexes = new Map(study.items.map(({ id }, i) => [id, i]))
  const participantIndexes = new Map(given.participants.map(({ id }, i) => [id, i]))
  const scrolling = scrollingItems(study)
  const sums: GazeSums[][] = given.participants.map(() => [])
  const tests = given.tests.map((test, i): Test => {
    const measured: Measured = given.measured[i]
    const itemIndex = itemIndexes.get(test.itemId)!
    const participantIndex = participantIndexes.get(test.participantId)!
    sums[participantIndex].push(measured)
    // Each by its name: a spread of so many, with others added, takes ten times as long.
    return {
      id: test.id,
      itemIndex,
      participantIndex,
      createdAt: test.createdAt,
      displayOrder: test.displayOrder,
      durationUs: test.durationUs,
      finishedOnKey: test.finishedOnKey,
      hasFinishedOnClick: test.hasFinishedOnClick,
      clickCount: test.clickCount ?? measured.clickCount,
      qualityGradeItem: test.qualityGradeItem ?? qualityGrade([measured]),
      browserWidthPx: test.browserWidthPx,
      browserHeightPx: test.browserHeightPx,
      display: displayRectangle(test, study.items[itemIndex], scrolling.has(test.itemId)),
      notes: test.notes,
      file: places[i].file,
      ordinal: places[i].ordinal,
      sampleCount: measured.sampleCount,
    }
  })
  const participants = given.participants.map((participant, i) => ({
    ...participant,
    displayGender: participant.displayGender || (participant.gender === null ? '' : GENDERS[participant.gender]),
    qualityGrade: participant.qualityGrade ?? qualityGrade(sums[i]),
  }))
  return { participants, tests }
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
