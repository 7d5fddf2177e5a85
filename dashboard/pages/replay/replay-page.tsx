import './replay.css'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { isShownVideo } from '../../../isomorphic/picture-names.ts'
import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import { useAoisOf } from '../../core/aois-of.ts'
import type { Aoi, FixationsData, Item, RecordingsData, Study } from '../../core/api.ts'
import { OTHER_AOI } from '../../core/colors/aoi-colors.ts'
import { GROUP_COLORS } from '../../core/colors/group-colors.ts'
import { count, countOf, isolate, slug } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { type People, usePeople, useWithLosses, whoOf } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { queryString, type Settings } from '../../core/view/chart-settings.ts'
import { type Refused, readView } from '../../core/view/chart-view.ts'
import { type LinkSettings, useLinkSettings } from '../../core/view/link-settings.ts'
import { useHasLists } from '../../core/view/places.ts'
import { captionOf, subjectOf } from '../../figures/captions.ts'
import { ColorKey } from '../../figures/color-key.tsx'
import { gazeSettings, together } from '../../figures/item-answers.ts'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { usePicture } from '../../figures/picture.ts'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { useRowGroups } from '../../figures/row-groups.ts'
import type { RowGroups } from '../../figures/scarf-order.ts'
import { KeptLine, Side } from '../../figures/settings/item-side.tsx'
import { CalmSettings } from '../../figures/settings/settings-fold.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { TestFilter } from '../../figures/settings/test-filter.tsx'
import { GAZE } from '../../figures/stimulus.tsx'
import { IgnoreButton } from '../../ui/analysis/analysis-strip.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Check, Choice, type Option } from '../../ui/controls/choice.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { ItemTitle } from '../../ui/item-title.tsx'
import { ParticipantChoice } from '../../ui/people/participant-choice.tsx'
import { itemPage, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { Empty, Loading, RefusedLink, Trouble } from '../../ui/waiting/states.tsx'
import { WindowNote } from '../../ui/window/window-note.tsx'
import { DriftPanel } from './drift-panel.tsx'
import { endOf, type PlayedTest, played } from './moment.ts'
import { Player, readPlayer } from './player.tsx'

export const ReplayPage = itemPage(ReplayView)

function ReplayView({ study, item, parameters }: KnownItem) {
  const { query } = usePlace()
  const hasLists = useHasLists()
  const people = useWithLosses(study.id, usePeople(study.id))
  const link = useLinkSettings(parameters)
  const { settings } = link
  const [begun] = useState(() => readPlayer(query))
  const participantId = query.get('participant') || null
  const aois = useAoisOf(study, item)
  const { view, refused } = readView(query, { isOne: participantId !== null, aoiCount: aois.length })
  const { href, aspect, clip, image, paint, lack } = useScene(study, item, aois, view.chosen)
  const replay = useReplay(study, item, { participantId, link, people })
  const { recording, all, tests } = replay
  const who = whoOf(people, participantId)
  const subject = subjectOf(item, who)
  return (
    <ItemPlaces {...{ study, item, people }} who="Participants" hasKeys={false}>
      <ItemTitle {...{ study, item }} what="Replay of" hasKeys={false} />
      <RefusedLink refused={[...link.refused, ...refused, ...replay.refused]} />
      <div class="item-grid">
        <div class="item-main">
          <WindowNote settings={settings}>
            The replay shows whole recordings. AOIs light up only for fixations that begin in the time window.
          </WindowNote>
          {lack !== null && <p class="notice">{lack}. Gaze is shown on grey.</p>}
          <Played replay={replay} empty={emptyOf(recording.data, people, settings)}>
            {(counts, shown) => (
              <Player
                {...{ item, aois, paint, tests, image, clip, aspect }}
                names={people.names}
                untilMs={Math.max(1, endOf(all))}
                link={begun}
                chosen={view.chosen}
                fixations={shown}
                title={`Replay: ${subject}`}
                caption={`${captionOf(subject, counts)} ${playedWords(replay)}`}
                fileName={`gazette-replay-${slug(item.filename)}`}
              />
            )}
          </Played>
          {participantId !== null && replay.problem === null && all.length > 0 && (
            <DriftPanel
              key={participantId}
              studyId={study.id}
              itemId={item.id}
              {...{ participantId, href, aspect }}
              name={who}
              tests={all}
              eye={settings.eye}
            />
          )}
        </div>
        <Side what={hasLists ? undefined : 'participant and settings'}>
          <ReplayWho {...{ people, participantId, link, replay }} itemIndex={study.items.indexOf(item)} />
          <CalmSettings {...{ parameters, settings }} defaults={link.defaults} onChange={link.change} />
        </Side>
      </div>
    </ItemPlaces>
  )
}

type OfLink = { participantId: string | null; link: LinkSettings; people: People }
type Replay = ReturnType<typeof useReplay>

/** Loads the tests of a replay, and keeps the selection of those that play. */
function useReplay(study: Study, item: Item, { participantId, link, people }: OfLink) {
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
    const ids = new Set(tests.map(({ recorded }) => recorded.testId))
    return fixations.data && { ...fixations.data, tests: fixations.data.tests.filter(({ testId }) => ids.has(testId)) }
  }, [fixations.data, tests])
  return { recording, fixations, shown, problem, retry, all, tests, hidden, setHidden, splits, groups, refused }
}

type PlayedProps = {
  replay: Replay
  empty: VNode | null
  children: (counts: RecordingsData, shown: FixationsData) => ComponentChildren
}

/** Shows the player once its tests are loaded, or why there is none. */
function Played({ replay: { recording, shown, problem, retry, all, tests }, empty, children }: PlayedProps) {
  if (problem !== null) return <Trouble problem={problem} retry={retry} />
  if (all.length === 0) return empty ?? <Loading what="recordings" />
  if (tests.length === 0 && empty === null)
    return <Empty title="No participants selected">Select at least one participant to play.</Empty>
  if (recording.data === null || shown === null) return null
  return <>{children(recording.data, shown)}</>
}

/** Draws the choice of the tests that play. */
function ReplayWho({ people, participantId, link, replay, itemIndex }: OfLink & { replay: Replay; itemIndex: number }) {
  const hasLists = useHasLists()
  const { settings, change } = link
  const { recording, all, hidden, setHidden } = replay
  return (
    <Panel title={hasLists ? 'Tests' : 'Participants'} class="who-panel">
      {!hasLists && <ParticipantChoice all={people.all} itemIndex={itemIndex} />}
      {participantId !== null && <IgnoreButton participantId={participantId} name={people.names.get(participantId)} />}
      {people.problem !== null && <Trouble problem={people.problem} retry={people.retry} />}
      <GradeFilter settings={settings} onChange={change} />
      <TestFilter people={people} settings={settings} onChange={change} problem={recording.problem} />
      {recording.data !== null && <KeptLine counts={recording.data} />}
      {recording.data !== null && <OnlyTheFirst played={all.length} of={recording.data.kept.tests} />}
      <TintChoice replay={replay} />
      <PlayedList all={all} hidden={hidden} onHide={setHidden} />
    </Panel>
  )
}

/** Says that only the first tests play, if that is so. */
function OnlyTheFirst({ played, of }: { played: number; of: number }) {
  if (of <= played) return null
  return (
    <p class="notice">
      The first {count(played)} of {countOf(of, 'test')} are played. Use a filter to choose others.
    </p>
  )
}

/** Draws the choice of colours of gaze: one for each test, or for each group of an attribute. The address keeps it. */
function TintChoice({ replay: { splits, groups, all, tests } }: { replay: Replay }) {
  if (all.length < 2 || splits === null || splits.length === 0) return null
  return (
    <>
      <Choice
        isInline
        label="Colours of gaze"
        value={groups?.label ?? ''}
        of={[['', 'one for each test'], ...splits.map(({ label }): Option => [label, `by ${isolate(label)}`])]}
        onChange={(label) => setQuery({ tint: label || null })}
      />
      {groups !== null && (
        <ColorKey
          label={`Colours by ${isolate(groups.label)}`}
          of={tintKey(groups, tests).map(({ name, color, n }) => ({ label: `${name}, ${count(n)} played`, color }))}
        />
      )}
    </>
  )
}

/** Returns the groups with their colours and how many of the tests have them; those in no group only if there are any. */
function tintKey({ groups }: RowGroups, tests: PlayedTest[]): { name: string; color: string; n: number }[] {
  const named = groups.map(({ name }, g) => ({ name, color: GROUP_COLORS[g] }))
  return [...named, { name: 'in none of these groups', color: OTHER_AOI }]
    .map((each) => ({ ...each, n: tests.filter(({ color }) => color === each.color).length }))
    .filter(({ n, color }) => n > 0 || color !== OTHER_AOI)
}

/** Says how many tests play, in which colours, and how gaze is drawn. */
function playedWords({ tests, groups, fixations }: Replay): string {
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

/** Returns the tests in the order of the export, each in its own colour, or in that of its group. */
function playedTests(
  { tests }: RecordingsData,
  fixations: FixationsData,
  names: Map<string, string>,
  groups: RowGroups | null,
): PlayedTest[] {
  const colorOf = (participantId: string, i: number) => {
    if (tests.length === 1) return GAZE
    if (groups === null) return `hsl(${Math.round((i * 137.508) % 360)} 80% ${i % 2 === 0 ? 45 : 35}%)`
    return GROUP_COLORS[groups.groups.findIndex(({ ids }) => ids.has(participantId))] ?? OTHER_AOI
  }
  const found = new Map(fixations.tests.map((test) => [test.testId, test.fixations]))
  return tests.map((recorded, i) => {
    const name = whoOf({ names }, recorded.participantId)
    const color = colorOf(recorded.participantId, i)
    return played(recorded, found.get(recorded.testId) ?? [], { name, color })
  })
}

type PlayedListProps = { all: PlayedTest[]; hidden: ReadonlySet<string>; onHide: (hidden: ReadonlySet<string>) => void }

/** Number of tests up to which their list is not folded. */
const LISTED_MAX = 10

function PlayedList({ all, hidden, onHide }: PlayedListProps) {
  const stop = useOneStop<HTMLDivElement>('input, button')
  if (all.length < 2) return null
  const toggle = (id: string) => {
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    onHide(next)
  }
  const ids = all.map(({ recorded }) => recorded.testId)
  return (
    <fieldset class="played">
      <legend>
        Played: {count(all.filter(({ recorded }) => !hidden.has(recorded.testId)).length)} of {count(all.length)}
      </legend>
      <p class="row">
        <Button class="small" onClick={() => onHide(new Set())}>
          All
        </Button>
        <Button class="small" onClick={() => onHide(new Set(ids))}>
          None
        </Button>
      </p>
      <details class="advanced" open={all.length <= LISTED_MAX}>
        <summary>Choose who is played</summary>
        <div class="row chips" {...stop}>
          {all.map(({ recorded: { testId, participantId }, name, color }) => (
            <span key={testId}>
              <Check isOn={!hidden.has(testId)} onChange={() => toggle(testId)}>
                <svg width="12" height="12" aria-hidden="true" focusable="false">
                  <circle cx="6" cy="6" r="6" fill={color} />
                </svg>
                <bdi>{name}</bdi>
              </Check>
              <IgnoreButton participantId={participantId} name={name} isShort />
            </span>
          ))}
        </div>
      </details>
    </fieldset>
  )
}

/** Loads what gaze moves over: the picture or video, and the colours of the AOIs. @returns `lack` of a video */
function useScene(study: Study, item: Item, aois: Aoi[], chosen: number[]) {
  const paint = { colors: useAoiColors(study, aois, chosen), lit: null }
  const { href, aspect, clip, lack } = usePicture(study.id, item)
  const isVideo = isShownVideo(item.filename)
  return { href, aspect, clip, image: useImage(isVideo ? null : href), paint, lack: isVideo ? lack : null }
}

/** Returns a picture once it is loaded. */
function useImage(href: string | null): HTMLImageElement | null {
  const [image, setImage] = useState<HTMLImageElement | null>(null)
  useEffect(() => {
    setImage(null)
    if (href === null) return
    const loading = new Image()
    loading.onload = () => setImage(loading)
    loading.src = href
    return () => {
      loading.onload = null
    }
  }, [href])
  return image
}
