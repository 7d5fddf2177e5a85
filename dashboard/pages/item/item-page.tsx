import { useEffect, useMemo, useState } from 'preact/hooks'
import {
  type AoisData,
  type FixationsData,
  type GazeData,
  type HeatmapData,
  type Item,
  type Loaded,
  mayWrite,
  type Participant,
  type Session,
  type Study,
  useData,
} from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { paintAois } from '../../core/colors/aoi-colors.ts'
import { hasPupils } from '../../core/eyes-seen.ts'
import { useIsView, useLink } from '../../core/link-seen.ts'
import { isolate, nameOf } from '../../core/number-texts.ts'
import { type People, usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import {
  defaultsFor,
  defaultsOf,
  pageQuery,
  queryChanges,
  queryString,
  readSettings,
  type Settings,
} from '../../core/view/chart-settings.ts'
import { readView, type View } from '../../core/view/chart-view.ts'
import { type StimulusParts, subjectOf } from '../../figures/captions.ts'
import { gazeSettings, spanOf, together, useCalm, useHeat } from '../../figures/item-answers.ts'
import { ItemCharts } from '../../figures/item-charts.tsx'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { usePicture } from '../../figures/picture.ts'
import { CopyLink, KeptLine, Side } from '../../figures/settings/item-side.tsx'
import { Redrawn } from '../../figures/settings/redrawn.tsx'
import { GradeFilter, SettingsPanel } from '../../figures/settings/settings-panel.tsx'
import { Summary } from '../../figures/settings/summary.tsx'
import { TestFilter } from '../../figures/settings/test-filter.tsx'
import { IgnoreButton } from '../../ui/analysis/analysis-strip.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { ParticipantSelect } from '../../ui/people/participant-select.tsx'
import { AwaitItem, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { RefusedLink, Trouble } from '../../ui/waiting/states.tsx'
import { ChartsWindow, WindowSlider } from '../../ui/window/window-slider.tsx'
import { StimulusFigure } from './stimulus-figure.tsx'

const PicturesDialog = lazyPage(() => import('../pictures/pictures-dialog.tsx').then((loaded) => loaded.PicturesDialog))

export function ItemPage({ studyId, itemId, session }: { studyId: string; itemId: string; session: Session }) {
  const people = usePeople(studyId)
  return (
    <AwaitItem studyId={studyId} itemId={itemId}>
      {(known) => <ItemView {...known} people={people} mayDraw={mayWrite(session, studyId)} />}
    </AwaitItem>
  )
}

function ItemView({ study, item, parameters, people, mayDraw }: KnownItem & { people: People; mayDraw: boolean }) {
  const { query } = usePlace()
  const { settings, setSettings, defaults, refusedSettings } = useSliders(parameters)
  const participantId = query.get('participant') || null
  const itemIndex = study.items.indexOf(item)
  const aois = useMemo(() => study.aois.filter((aoi) => aoi.itemId === item.id), [study, item])
  const { view, refused } = readView(query, { isOne: participantId !== null, aoiCount: aois.length })
  const { layers, chosen } = view
  const picture = usePicture(study.id, item)
  const { aspect } = picture
  const [lit, setLit] = useState<number | null>(null)
  const paint = useMemo<AoiPaint>(() => ({ colors: paintAois(aois.length, chosen), lit }), [aois, chosen.join(), lit])
  const names = useMemo(() => new Map(people.all.map((each) => [each.id, nameOf(each)])), [people.all])
  const who = participantId === null ? 'all participants' : (names.get(participantId) ?? participantId.slice(0, 8))
  const subject = subjectOf(item, who)

  useEffect(() => {
    document.title = `${isolate(item.filename) || 'Item'} · ${isolate(study.name)} · Gazette`
  }, [item, study])

  const { heatmap, fixations, gaze, bars, isDefault, byDefault } = useAnswers({
    base: `/api2/studies/${study.id}/charts`,
    itemId: item.id,
    ...{ participantId, view, settings, defaults },
    hasAois: aois.length > 0,
  })
  const heat = useHeat(layers.heatmap ? heatmap.data : null, view.heat)
  const untilMs = useMemo(() => spanOf(item, fixations.data), [item, fixations.data])
  const empty = emptyOf(fixations.data, people, settings)

  const shown: StimulusParts = {
    view,
    fixations: fixations.data,
    gaze: layers.gaze ? gaze.data : null,
    heatmap: layers.heatmap ? heatmap.data : null,
    heat,
    bars: layers.aois ? bars.data : null,
  }
  const stimulus = together([
    fixations,
    ...(layers.heatmap ? [heatmap] : []),
    ...(layers.gaze ? [gaze] : []),
    ...(layers.aois && aois.length > 0 ? [bars] : []),
  ])
  return (
    <>
      <ItemHead
        {...{ study, item, itemIndex, mayDraw, participantId }}
        search={pageQuery(settings, defaults)}
        exportSearch={pageQuery(settings, defaults, { itemId: item.id, export: 'fixations' })}
      />
      <RefusedLink refused={[...refusedSettings, ...refused]} />
      <Redrawn fixations={fixations} subject={subject} />
      <div class="item-grid">
        <div class="item-main">
          <StimulusFigure
            {...{ item, aois, aspect, picture, paint, names, subject, shown, empty }}
            loaded={stimulus}
            onLight={setLit}
            over={mayDraw && picture.lack !== null ? <AddPicture {...{ study, item }} /> : null}
            summary={
              fixations.data !== null && fixations.problem === null && empty === null ? (
                <Summary data={fixations.data} byDefault={isDefault ? null : byDefault.data} />
              ) : (
                fixations.data === null && fixations.problem === null && <div class="summary-room" />
              )
            }
          />
          <WindowSlider {...{ item, settings, defaults, untilMs }} onChange={setSettings} />
          {empty === null && (
            <ChartsWindow.Provider value={{ item, settings, defaults, untilMs, onChange: setSettings }}>
              <ItemCharts
                {...{ item, aois, chosen, paint, names, subject, fixations, gaze, bars, untilMs }}
                isOne={participantId !== null}
                onLight={setLit}
                itemName={item.filename}
              />
            </ChartsWindow.Provider>
          )}
        </div>
        <Side>
          <WhoPanel {...{ people, participantId, itemIndex, settings, fixations }} onChange={setSettings} />
          <SettingsPanel parameters={parameters} settings={settings} defaults={defaults} onChange={setSettings}>
            <CopyLink />
          </SettingsPanel>
        </Side>
      </div>
    </>
  )
}

/** Draws the button that gives an item its picture, where none is drawn. */
function AddPicture({ study, item }: { study: Study; item: Item }) {
  const [isOpen, setIsOpen] = useState(false)
  const close = (isChanged: boolean) => {
    setIsOpen(false)
    // Everything that was drawn is of the study of before.
    if (isChanged) location.reload()
  }
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Add a picture
      </button>
      {isOpen && <PicturesDialog study={study} only={item} onClose={close} />}
    </>
  )
}

/** Keeps the settings that sliders change, in the address too. */
function useSliders(parameters: KnownItem['parameters']) {
  const { query } = usePlace()
  const defaults = useMemo(() => defaultsOf(parameters), [parameters])
  // What the link said when the page opened; from then on the address follows the sliders.
  const [fromLink] = useState(() => readSettings(query, parameters))
  const [settings, setSettings] = useState<Settings>(fromLink.settings)
  const calm = useCalm(settings)
  // The address follows a little later: browsers limit how often it may change.
  useEffect(() => {
    setQuery(queryChanges(calm, defaults))
  }, [calm])
  return { settings, setSettings, defaults, refusedSettings: fromLink.refused }
}

/** Draws who is shown: the participant, and which tests are kept. */
function WhoPanel({
  people,
  participantId,
  itemIndex,
  settings,
  fixations,
  onChange,
}: {
  people: People
  participantId: string | null
  itemIndex: number
  settings: Settings
  fixations: Loaded<FixationsData>
  onChange: (settings: Settings) => void
}) {
  // Without it, the list of participants would look whole.
  const missing = people.first.problem ?? people.problem
  return (
    <section class="card panel who-panel">
      <h2>Participant</h2>
      <WhoChoice all={people.all} {...{ participantId, itemIndex }} />
      {participantId !== null && (
        <p class="row">
          <IgnoreButton participantId={participantId} name={nameOfId(people, participantId)} />
        </p>
      )}
      {missing !== null && <Trouble problem={missing} retry={people.first.retry} />}
      <GradeFilter settings={settings} onChange={onChange} />
      <TestFilter people={people} settings={settings} onChange={onChange} problem={fixations.problem} />
      {fixations.problem === null && <KeptLine counts={fixations.data} />}
    </section>
  )
}

function nameOfId({ all }: People, participantId: string): string | undefined {
  const found = all.find(({ id }) => id === participantId)
  return found && nameOf(found)
}

/** Loads what the charts of an item draw. @param base address of the study's charts */
function useAnswers({
  base,
  itemId,
  participantId,
  view,
  settings,
  defaults,
  hasAois,
}: {
  base: string
  itemId: string
  participantId: string | null
  view: View
  settings: Settings
  defaults: Settings
  hasAois: boolean
}) {
  const { layers, of, weighting } = view
  const at = (some: Settings, more: Record<string, string | null> = {}) =>
    queryString(some, defaults, { itemId, participantId, ...more })
  const key = `${itemId} ${participantId}`
  // RouteRequest for first, since it is what everybody sees first.
  const heatmap = useData<HeatmapData>(
    layers.heatmap
      ? `${base}/heatmap${at(of === 'gazes' ? gazeSettings(settings, defaults) : settings, { of, weighting })}`
      : null,
    0,
    `${key} ${of} ${weighting}`,
  )
  const fixations = useData<FixationsData>(`${base}/fixations${at(settings)}`, 0, key)
  const grade = defaultsFor(settings, defaults)
  const isDefault = queryString(settings, defaults) === queryString(grade, defaults)
  const byDefault = useData<FixationsData>(isDefault ? null : `${base}/fixations${at(grade)}`, 0, key)
  const points = layers.gaze && participantId === null ? 'true' : null
  const gaze = useData<GazeData>(`${base}/gaze${at(gazeSettings(settings, defaults), { points })}`, 0, key)
  const bars = useData<AoisData>(hasAois ? `${base}/aois${at(settings)}` : null, 0, key)
  return { heatmap, fixations, gaze, bars, isDefault, byDefault }
}

function ItemHead({
  study,
  item,
  itemIndex,
  mayDraw,
  participantId,
  search,
  exportSearch,
}: {
  study: Study
  item: Item
  itemIndex: number
  mayDraw: boolean
  participantId: string | null
  search: string
  exportSearch: string
}) {
  const link = useLink()
  const isView = useIsView()
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>
          <bdi>{item.filename || 'Item'}</bdi>
        </h1>
        {!isView && (
          <div class="row">
            <ItemSteps study={study} itemIndex={itemIndex} />
            <ItemViews
              mayDraw={mayDraw}
              mayPupils={hasPupils(study)}
              path={`/studies/${study.id}/items/${item.id}`}
              search={search}
              participantId={participantId}
            />
            {link?.hasDownloads !== false && (
              <a class="button" href={`/studies/${study.id}/export${exportSearch}`}>
                Export with these settings
              </a>
            )}
          </div>
        )}
      </div>
    </>
  )
}

function WhoChoice({
  all,
  participantId,
  itemIndex,
}: {
  all: Participant[]
  participantId: string | null
  itemIndex: number
}) {
  const { query } = usePlace()
  const choose = (id: string) => setQuery({ participant: id, layers: query.get('layers') })
  const neighbours = neighboursOf(all, participantId, itemIndex)
  return (
    <div class="who">
      <ParticipantSelect
        all={all}
        participantId={participantId}
        itemIndex={itemIndex}
        told={(grade) => (grade === null ? ' – not shown' : ` – grade ${grade}`)}
        onChange={choose}
      />
      <button
        type="button"
        class="small"
        aria-label="Previous participant"
        disabled={!neighbours.before}
        onClick={() => choose(neighbours.before!)}
      >
        ‹
      </button>
      <button
        type="button"
        class="small"
        aria-label="Next participant"
        disabled={!neighbours.after}
        onClick={() => choose(neighbours.after!)}
      >
        ›
      </button>
    </div>
  )
}

/** Links to the other pages of an item, which show the same tests; transitions are of all of them. */
function ItemViews({
  path,
  search,
  participantId,
  mayDraw,
  mayPupils,
}: {
  path: string
  search: string
  participantId: string | null
  mayDraw: boolean
  mayPupils: boolean
}) {
  const ofOne = participantId === null ? '' : `${search === '' ? '?' : '&'}participant=${participantId}`
  return (
    <>
      {mayDraw && (
        <a class="button" href={`${path}/aois${search}${ofOne}`}>
          Draw AOIs
        </a>
      )}
      <a class="button" href={`${path}/replay${search}${ofOne}`}>
        Replay
      </a>
      {mayPupils && (
        <a class="button" href={`${path}/pupils${search}${ofOne}`}>
          Pupils
        </a>
      )}
      <a class="button" href={`${path}/transitions${search}`}>
        Transitions
      </a>
    </>
  )
}

function ItemSteps({ study, itemIndex }: { study: Study; itemIndex: number }) {
  // The choice of AOIs is of this item.
  const query = new URLSearchParams(location.search)
  query.delete('aois')
  const search = query.size === 0 ? '' : `?${query}`
  const link = (item: Item | undefined, label: string) =>
    item === undefined ? null : (
      <a
        class="button"
        href={`/studies/${study.id}/items/${item.id}${search}`}
        aria-label={`${label} item: ${isolate(item.filename)}`}
        title={`${label} item`}
      >
        {label === 'Previous' ? '‹' : '›'}
      </a>
    )
  return (
    <span class="row">
      {link(study.items[itemIndex - 1], 'Previous')}
      {link(study.items[itemIndex + 1], 'Next')}
    </span>
  )
}

function neighboursOf(people: Participant[], participantId: string | null, itemIndex: number) {
  const shown = people.filter(({ grades }) => grades[itemIndex] !== null)
  const at = shown.findIndex(({ id }) => id === participantId)
  return { before: at > 0 ? shown[at - 1].id : undefined, after: shown[at + 1]?.id }
}
