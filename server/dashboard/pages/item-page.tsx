import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  type Aoi,
  type AoisData,
  type Catalog,
  type FixationsData,
  type GazeData,
  getJson,
  type HeatmapData,
  type Item,
  type Kept,
  type Loaded,
  type Participant,
  type Participants,
  type Study,
  useData,
} from '../api.ts'
import { defaultsOf, queryChanges, queryString, readSettings, type Settings } from '../chart-settings.ts'
import { AoiBars, aoiNumbers } from '../charts/aoi-bars.tsx'
import { captionOf, drawnOf, stimulusCaption, stimulusNumbers } from '../charts/captions.ts'
import { Figure } from '../charts/figure.tsx'
import { GazeTime, gazeNumbers } from '../charts/gaze-time.tsx'
import { type Heat, paintHeat } from '../charts/heat.ts'
import { fixationNumbers, Scarf } from '../charts/scarf.tsx'
import { Stimulus } from '../charts/stimulus.tsx'
import { count, countOf, nameOf } from '../number-texts.ts'
import { AoiLegend, legendOf } from '../parts/aoi-legend.tsx'
import { HeatLegend, KERNEL_DEFAULT, LayerControls, readLayers } from '../parts/layers.tsx'
import { GradeFilter, SettingsPanel } from '../parts/settings-panel.tsx'
import { Await, Empty, Trouble } from '../parts/states.tsx'
import { Summary } from '../parts/summary.tsx'
import { setQuery, usePlace } from '../router.ts'

export function ItemPage({ studyId, itemId }: { studyId: string; itemId: string }) {
  const study = useData<Study>(`/api2/studies/${studyId}`)
  const catalog = useData<Catalog>('/api2/exports')
  const people = usePeople(studyId)
  return (
    <Await loaded={study} what="the study">
      {(known) => (
        <Await loaded={catalog} what="the settings">
          {({ parameters }) => {
            const item = known.items.find(({ id }) => id === itemId.toLowerCase())
            if (item === undefined)
              return (
                <Empty title="There is no such item in this study">
                  <a href={`/studies/${studyId}`}>Go to the study</a>
                </Empty>
              )
            return <ItemView study={known} item={item} parameters={parameters} people={people} />
          }}
        </Await>
      )}
    </Await>
  )
}

/** Loads all participants, page by page; the first page is enough to begin. */
function usePeople(studyId: string): Participant[] {
  const first = useData<Participants>(`/api2/studies/${studyId}/participants`)
  const [rest, setRest] = useState<Participant[]>([])
  useEffect(() => {
    const controller = new AbortController()
    const load = async (cursor: string | null, before: Participant[]): Promise<void> => {
      if (cursor === null) return
      const path = `/api2/studies/${studyId}/participants?cursor=${encodeURIComponent(cursor)}`
      const page = await getJson<Participants>(path, controller.signal)
      const all = [...before, ...page.participants]
      setRest(all)
      await load(page.nextCursor, all)
    }
    setRest([])
    if (first.data !== null) void load(first.data.nextCursor, []).catch(() => {})
    return () => controller.abort()
  }, [first.data, studyId])
  return useMemo(() => [...(first.data?.participants ?? []), ...rest], [first.data, rest])
}

const TALLEST_PX = 780

function ItemView({
  study,
  item,
  parameters,
  people,
}: {
  study: Study
  item: Item
  parameters: Catalog['parameters']
  people: Participant[]
}) {
  const { query } = usePlace()
  const defaults = useMemo(() => defaultsOf(parameters), [parameters])
  // What the link said when the page opened; from then on the address follows the sliders.
  const [fromLink] = useState(() => readSettings(query, parameters))
  const [settings, setSettings] = useState<Settings>(fromLink.settings)
  const calm = useCalm(settings)
  const participantId = query.get('participant')
  const layers = readLayers(query.get('layers'), participantId !== null)
  const of = query.get('of') === 'fixations' ? 'fixations' : 'gazes'
  const kernel = Number(query.get('kernel') ?? KERNEL_DEFAULT) || KERNEL_DEFAULT
  const itemIndex = study.items.indexOf(item)
  const picture = usePicture(study.id, item)
  const aspect = item.widthPx && item.heightPx ? item.widthPx / item.heightPx : (picture.aspect ?? 16 / 9)
  const aois = useMemo(() => study.aois.filter((aoi) => aoi.itemId === item.id), [study, item])
  const names = useMemo(() => new Map(people.map((each) => [each.id, nameOf(each)])), [people])
  const who = participantId === null ? 'all participants' : (names.get(participantId) ?? participantId.slice(0, 8))

  useEffect(() => {
    document.title = `${item.filename || 'Item'} · ${study.name} · Gazette`
  }, [item, study])
  // The address follows a little later: browsers limit how often it may change.
  useEffect(() => {
    setQuery(queryChanges(calm, defaults))
  }, [calm])

  const base = `/api2/studies/${study.id}/charts`
  const at = (some: Settings, more: Record<string, string | null> = {}) =>
    queryString(some, defaults, { itemId: item.id, participantId, ...more })
  const subject = `${item.id} ${participantId}`
  // Asked for first, since it is what everybody sees first.
  const heatmap = useData<HeatmapData>(
    layers.heatmap ? `${base}/heatmap${at(of === 'gazes' ? gazeSettings(calm, defaults) : calm, { of })}` : null,
    0,
    `${subject} ${of}`,
  )
  // One participant follows the slider at once; everybody waits until it rests.
  const moving = participantId === null ? calm : settings
  const fixations = useData<FixationsData>(`${base}/fixations${at(moving)}`, 0, subject)
  const isDefault = Object.entries(settings).every(([name, value]) => value === defaults[name])
  const grade = { ...defaults, participantQualityGradeItemMin: moving.participantQualityGradeItemMin }
  const byDefault = useData<FixationsData>(isDefault ? null : `${base}/fixations${at(grade)}`, 0, subject)
  const points = layers.gaze && participantId === null ? 'true' : null
  const gaze = useData<GazeData>(`${base}/gaze${at(gazeSettings(calm, defaults), { points })}`, 0, subject)
  const bars = useData<AoisData>(aois.length > 0 ? `${base}/aois${at(calm)}` : null, 0, subject)
  const heat = useHeat(layers.heatmap ? heatmap.data : null, kernel)
  const drawnMs = useDrawTime(settings, fixations)
  const untilMs = spanOf(item, fixations.data)

  const choose = (id: string) => setQuery({ participant: id, layers: query.get('layers') })
  const neighbours = neighboursOf(people, participantId, itemIndex)
  return (
    <>
      <nav class="crumbs" aria-label="Where you are">
        <a href="/">Studies</a> <span aria-hidden="true">/</span>{' '}
        <a href={`/studies/${study.id}`}>{study.name || 'Study'}</a> <span aria-hidden="true">/</span>
      </nav>
      <div class="page-head">
        <h1>{item.filename || 'Item'}</h1>
        <div class="row">
          <ItemSteps study={study} itemIndex={itemIndex} />
          <a
            class="button"
            href={`/studies/${study.id}/export${queryString(settings, defaults, { itemId: item.id, export: 'fixations' })}`}
          >
            Export with these settings
          </a>
        </div>
      </div>
      {fromLink.refused.length > 0 && (
        <p class="notice" role="alert">
          The link holds a value out of range for {fromLink.refused.join(', ')}: the default is used instead.
        </p>
      )}
      <div class="item-grid">
        <div class="item-main">
          <Figure
            title="Stimulus"
            legend={layers.aois ? legendOf(aois, bars.data) : []}
            fileName={`gazette-stimulus-${slug(item.filename)}`}
            caption={stimulusCaption(
              item,
              who,
              layers,
              fixations.data,
              layers.gaze ? gaze.data : null,
              heatmap.data,
              heat,
              kernel,
              layers.aois ? bars.data : null,
            )}
            isStale={!fixations.isFresh && fixations.data !== null}
            numbers={() => stimulusNumbers(layers, fixations.data, gaze.data, heatmap.data, aois, names)}
            draw={(colors, width) => (
              <Stimulus
                width={fitting(width, aspect)}
                colors={colors}
                data={{
                  item,
                  aspect,
                  imageHref: picture.href,
                  aois,
                  points: layers.gaze ? (gaze.data?.points ?? []) : [],
                  scanpaths: fixations.data?.tests.map((test) => test.fixations) ?? [],
                  heat,
                  layers,
                }}
              />
            )}
            controls={
              <>
                <LayerControls layers={layers} of={of} kernel={kernel} hasAois={aois.length > 0} />
                <Summary data={fixations.data} byDefault={isDefault ? null : byDefault.data} drawnMs={drawnMs} />
              </>
            }
            below={
              <>
                <HeatLegend heatmap={layers.heatmap ? heatmap.data : null} heat={heat} />
                {layers.aois && aois.length > 0 && <AoiLegend aois={aois} bars={bars.data} />}
              </>
            }
          />
          {fixations.problem !== null && <Trouble problem={fixations.problem} retry={fixations.retry} />}
          {heatmap.problem !== null && <Trouble problem={heatmap.problem} retry={heatmap.retry} />}
          <Lower
            {...{ item, aois, names, who, fixations, gaze, bars, untilMs, isOne: participantId !== null }}
            itemName={item.filename}
          />
        </div>
        <aside class="item-side" aria-label="Participant and settings">
          <section class="card panel">
            <h2>Participant</h2>
            <div class="who">
              <select
                aria-label="Participant"
                value={participantId ?? ''}
                onChange={(event) => choose(event.currentTarget.value)}
              >
                <option value="">All participants</option>
                {people.map((each) => (
                  <option key={each.id} value={each.id} disabled={each.grades[itemIndex] === null}>
                    {`${nameOf(each)}${each.grades[itemIndex] === null ? ' – not shown' : ` – grade ${each.grades[itemIndex]}`}`}
                  </option>
                ))}
              </select>
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
            <GradeFilter settings={settings} onChange={setSettings} />
            {fixations.data !== null && <KeptLine kept={fixations.data.kept} />}
          </section>
          <section class="card panel">
            <div class="panel-head">
              <h2>Settings</h2>
              <button type="button" class="small" disabled={isDefault} onClick={() => setSettings(defaults)}>
                Back to defaults
              </button>
            </div>
            <SettingsPanel parameters={parameters} settings={settings} onChange={setSettings} />
            <CopyLink />
          </section>
        </aside>
      </div>
    </>
  )
}

function Lower({
  itemName,
  aois,
  names,
  who,
  fixations,
  gaze,
  bars,
  untilMs,
  isOne,
}: {
  itemName: string
  aois: Aoi[]
  names: Map<string, string>
  who: string
  fixations: Loaded<FixationsData>
  gaze: Loaded<GazeData>
  bars: Loaded<AoisData>
  untilMs: number
  isOne: boolean
}) {
  const subject = `${itemName || 'item'}, ${who}`
  return (
    <div class="stack">
      <Await loaded={fixations} what="fixations">
        {(data) => (
          <Figure
            title="Scarf plot"
            legend={legendOf(aois)}
            fileName={`gazette-scarf-${slug(itemName)}`}
            caption={`${captionOf(subject, data)}${drawnOf(data)} A fixation in several AOIs has the colour of the first; grey is in none.`}
            isStale={!fixations.isFresh}
            scrolls={data.tests.length > 30}
            numbers={() => fixationNumbers({ fixations: data, aois, names })}
            draw={(colors, width) => (
              <Scarf data={{ fixations: data, aois, names, untilMs }} width={width} colors={colors} />
            )}
            below={aois.length > 0 ? <AoiLegend aois={aois} /> : <NoAois />}
          />
        )}
      </Await>
      {aois.length > 0 && (
        <Await loaded={bars} what="numbers of AOIs">
          {(data) => (
            <Figure
              title="Areas of interest"
              fileName={`gazette-aois-${slug(itemName)}`}
              caption={`${captionOf(subject, data)} A dash means that it did not happen.`}
              isStale={!bars.isFresh}
              numbers={() => aoiNumbers(data)}
              draw={(colors, width) => <AoiBars data={data} aois={aois} width={width} colors={colors} />}
            />
          )}
        </Await>
      )}
      <Await loaded={gaze} what="gaze over time">
        {(data) => (
          <Figure
            title="Gaze over time"
            fileName={`gazette-gaze-${slug(itemName)}`}
            caption={`${captionOf(subject, data)} ${count(data.pointCount)} recorded gaze points after denoising, interpolated ones left out, in bins of ${data.binMs} ms.${data.pointsEvery > 1 ? ` One point in ${data.pointsEvery} is drawn.` : ''}`}
            isStale={!gaze.isFresh}
            numbers={() => gazeNumbers(data, aois)}
            draw={(colors, width) => <GazeTime {...{ data, aois, isOne, untilMs, width, colors }} />}
          />
        )}
      </Await>
    </div>
  )
}

/** Returns the settings that influence gaze points, with those of fixations at their defaults. */
function gazeSettings(settings: Settings, defaults: Settings): Settings {
  const { movingMedianRangeMs, participantQualityGradeItemMin } = settings
  return { ...defaults, movingMedianRangeMs, participantQualityGradeItemMin }
}

const CALM_MS = 220

/** Returns the settings once they have not changed for a moment. */
function useCalm(settings: Settings): Settings {
  const [calm, setCalm] = useState(settings)
  useEffect(() => {
    const timer = window.setTimeout(() => setCalm(settings), CALM_MS)
    return () => window.clearTimeout(timer)
  }, [settings])
  return calm
}

function useHeat(data: HeatmapData | null, kernelPercent: number): Heat | null {
  return useMemo(
    () => data && paintHeat(data.weights, data.columns, data.rows, (kernelPercent / 100) * data.columns),
    [data, kernelPercent],
  )
}

/** Returns how long after a change of settings the drawing showed it; null before the first change. */
function useDrawTime(settings: Settings, { isFresh, data }: Loaded<FixationsData>): number | null {
  const changedAt = useRef<number | null>(null)
  const first = useRef(settings)
  const [drawnMs, setDrawnMs] = useState<number | null>(null)
  useEffect(() => {
    if (settings !== first.current) changedAt.current = performance.now()
  }, [settings])
  useEffect(() => {
    const startedAt = changedAt.current
    if (!isFresh || startedAt === null) return
    changedAt.current = null
    requestAnimationFrame(() => setDrawnMs(Math.round(performance.now() - startedAt)))
  }, [isFresh, data, settings])
  return drawnMs
}

/** Returns the width of the drawing, smaller for a tall item, so that item and settings are visible together. */
function fitting(width: number, aspect: number): number {
  return Math.round(Math.min(width, Math.max(420, TALLEST_PX * aspect)))
}

/** Returns the picture of the item, once it is known to exist, and its shape. */
function usePicture(studyId: string, item: Item): { href: string | null; aspect: number | null } {
  const [picture, setPicture] = useState<{ href: string | null; aspect: number | null }>({ href: null, aspect: null })
  useEffect(() => {
    const href = imageOf(studyId, item)
    if (href === null) return
    const image = new Image()
    image.onload = () => setPicture({ href, aspect: image.naturalWidth / image.naturalHeight || null })
    image.src = href
    return () => {
      image.onload = null
    }
  }, [studyId, item])
  return picture
}

function NoAois() {
  return <p class="hint">This item has no areas of interest, so all fixations are grey.</p>
}

function KeptLine({ kept }: { kept: Kept }) {
  return (
    <p class="kept" role="status">
      {count(kept.tests)} of {countOf(kept.testsTotal, 'test')} kept
    </p>
  )
}

function CopyLink() {
  const [done, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(location.href).catch(() => {})
    setDone(true)
    window.setTimeout(() => setDone(false), 2000)
  }
  return (
    <p class="row">
      <button type="button" class="small" onClick={copy}>
        {done ? 'Copied' : 'Copy link to this view'}
      </button>
      <span class="hint">It carries the settings.</span>
    </p>
  )
}

function ItemSteps({ study, itemIndex }: { study: Study; itemIndex: number }) {
  const link = (item: Item | undefined, label: string) =>
    item === undefined ? null : (
      <a class="button" href={`/studies/${study.id}/items/${item.id}${location.search}`} aria-label={`${label} item`}>
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

export function imageOf(studyId: string, { id, filename }: { id: string; filename: string }): string | null {
  return /\.(svg|png|jpe?g|gif|webp)$/i.test(filename) ? `/api2/studies/${studyId}/items/${id}/image` : null
}

function spanOf({ stimuliDurationMs }: Item, data: FixationsData | null): number {
  const ends = data?.tests.flatMap(({ fixations }) => fixations.map(([, , , endMs]) => endMs)) ?? []
  return ends.reduce((most, end) => Math.max(most, end), stimuliDurationMs ?? 1000)
}

function slug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'item'
  )
}
