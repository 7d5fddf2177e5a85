import { useMemo, useState } from 'preact/hooks'
import { compareNames } from '../../../isomorphic/natural-order.ts'
import type { FixationsData, Item, RecordingsData, Study } from '../../core/api.ts'
import { OTHER_AOI } from '../../core/colors/aoi-colors.ts'
import { GROUP_COLORS } from '../../core/colors/group-colors.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import { type People, whoOf } from '../../core/people/people.ts'
import { usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { queryString, type Settings } from '../../core/view/chart-settings.ts'
import type { Refused } from '../../core/view/chart-view.ts'
import { gazeSettings } from '../../core/view/item-charts.ts'
import type { LinkSettings } from '../../core/view/link-settings.ts'
import { together } from '../../figures/item-answers.ts'
import { useRowGroups } from '../../figures/row-groups.ts'
import type { RowGroups } from '../../figures/scarf-order.ts'
import { GAZE } from '../../figures/stimulus.tsx'
import { type PlayedTest, played } from './moment.ts'

export type OfLink = { participantId: string | null; link: LinkSettings; people: People }
export type Replay = ReturnType<typeof useReplay>

/** Loads the tests of a replay, and keeps the selection of those that play. */
export function useReplay(study: Study, item: Item, { participantId, link, people }: OfLink) {
  const { settings, defaults } = link
  const { names } = people
  const { query } = usePlace()
  const splits = useRowGroups(people)
  const tint = query.get('tint')
  const tinted = splits?.find(({ label }) => label === tint) ?? null
  const refused: Refused[] = []
  if (tint !== null && splits !== null && tinted === null)
    refused.push({ name: 'tint', value: tint, rule: 'must be an attribute that makes groups here' })
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const base = `/api2/studies/${study.id}/charts`
  const key = `${item.id} ${participantId}`
  const at = (some: Settings) => queryString(some, defaults, { itemId: item.id, participantId })
  const recording = useData<RecordingsData>(`${base}/recording${at(gazeSettings(settings, defaults))}`, 0, key)
  const fixations = useData<FixationsData>(`${base}/fixations${at(settings)}`, 0, key)
  const { problem, retry } = together([recording, fixations])
  // A test alone has the colour of gaze.
  const groups = recording.data?.tests.length === 1 ? null : tinted
  const all = useMemo(
    () =>
      recording.data === null || fixations.data === null
        ? []
        : playedTests(recording.data, fixations.data, names, groups),
    [recording.data, fixations.data, names, groups],
  )
  const tests = useMemo(() => all.filter(({ recorded }) => !hidden.has(recorded.testId)), [all, hidden])
  const shown = useMemo(() => {
    const places = new Map(tests.map(({ recorded }, place) => [recorded.testId, place]))
    const placeOf = ({ testId }: { testId: string }) => places.get(testId)!
    const isShown = ({ testId }: { testId: string }) => places.has(testId)
    if (fixations.data === null) return null
    const inOrder = fixations.data.tests.filter(isShown).sort((one, other) => placeOf(one) - placeOf(other))
    return { ...fixations.data, tests: inOrder }
  }, [fixations.data, tests])
  return { recording, fixations, shown, problem, retry, all, tests, hidden, setHidden, splits, groups, refused }
}

/** Number of colours of tests: more are not told apart, and each is drawn on its own. */
export const TEST_COLORS = 48

function testColor(i: number): string {
  return `hsl(${Math.round((i * 137.508) % 360)} 80% ${i % 2 === 0 ? 45 : 35}%)`
}

/** Returns the tests by name in natural order, each in its own colour, or in that of its group. */
function playedTests(
  { tests }: RecordingsData,
  fixations: FixationsData,
  names: Map<string, string>,
  groups: RowGroups | null,
): PlayedTest[] {
  const colorOf = (participantId: string, i: number) => {
    if (tests.length === 1) return GAZE
    if (groups === null) return testColor(i % TEST_COLORS)
    return GROUP_COLORS[groups.groups.findIndex(({ ids }) => ids.has(participantId))] ?? OTHER_AOI
  }
  const found = new Map(fixations.tests.map((test) => [test.testId, test.fixations]))
  return tests
    .map((recorded, i) => {
      const name = whoOf({ names }, recorded.participantId)
      const color = colorOf(recorded.participantId, i)
      return played(recorded, found.get(recorded.testId) ?? [], { name, color })
    })
    .sort((one, other) => compareNames(one.name, other.name))
}

/**
 * Returns the groups with their colours and how many of the tests have them; those in no group only if there are any.
 */
export function tintKey({ groups }: RowGroups, tests: PlayedTest[]): { name: string; color: string; n: number }[] {
  const named = groups.map(({ name }, g) => ({ name, color: GROUP_COLORS[g] }))
  return [...named, { name: 'in none of these groups', color: OTHER_AOI }]
    .map((each) => ({ ...each, n: tests.filter(({ color }) => color === each.color).length }))
    .filter(({ n, color }) => n > 0 || color !== OTHER_AOI)
}

/** Says how many tests play, in which colours, and how gaze is drawn. */
export function playedWords({ tests, groups, fixations }: Replay): string {
  const played = `${countOf(tests.length, 'test')} played${tintWords(groups, tests)}`
  return `${played}. Gaze after denoising, interpolated between recorded points; AOIs light up for fixations (${fixations.data?.notes}).`
}

/** Says what the colours of gaze mean; '' if each test has its own. */
function tintWords(groups: RowGroups | null, tests: PlayedTest[]): string {
  if (groups === null) return ''
  return `, in colours by ${isolate(groups.label)} (${tintKey(groups, tests)
    .map(({ name }) => isolate(name))
    .join(', ')})`
}
