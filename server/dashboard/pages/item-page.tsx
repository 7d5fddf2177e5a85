import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  type Aoi,
  type AoisData,
  type Catalog,
  type FixationsData,
  type GazeData,
  type HeatmapData,
  type Item,
  type Kept,
  type Loaded,
  type Participant,
  request,
  type Study,
  useData,
} from '../api.ts'
import { defaultsOf, queryChanges, queryString, readSettings, type Settings } from '../chart-settings.ts'
import { readView } from '../chart-view.ts'
import { AoiBars, aoiNumbers } from '../charts/aoi-bars.tsx'
import { paintAois } from '../charts/aoi-colors.ts'
import {
  captionOf,
  drawnOf,
  nOf,
  type StimulusParts,
  stimulusCaption,
  stimulusNumbers,
  stimulusShort,
  subjectOf,
} from '../charts/captions.ts'
import { ColorBar } from '../charts/color-bar.tsx'
import { Figure } from '../charts/figure.tsx'
import { GazeTime, gazeNumbers } from '../charts/gaze-time.tsx'
import { type Heat, type HeatStyle, paintHeat } from '../charts/heat.ts'
import { fixationNumbers, Scarf } from '../charts/scarf.tsx'
import { type Picture, Stimulus } from '../charts/stimulus.tsx'
import { count, countOf, GRADES, isolate, nameOf } from '../number-texts.ts'
import { AoiChooser, AoiLegend, type AoiPaint, legendOf } from '../parts/aoi-legend.tsx'
import { imageOf } from '../parts/item-picture.tsx'
import { HeatControls, HeatLegend, LayerControls } from '../parts/layers.tsx'
import { type People, usePeople } from '../parts/people.ts'
import { GradeFilter, SettingsPanel } from '../parts/settings-panel.tsx'
import { Await, Empty, HowToBringIn, RefusedLink, Trouble } from '../parts/states.tsx'
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
  people: People
}) {
  const { query } = usePlace()
  const defaults = useMemo(() => defaultsOf(parameters), [parameters])
  // What the link said when the page opened; from then on the address follows the sliders.
  const [fromLink] = useState(() => readSettings(query, parameters))
  const [settings, setSettings] = useState<Settings>(fromLink.settings)
  const [resets, setResets] = useState(0)
  const calm = useCalm(settings)
  const participantId = query.get('participant') || null
  const itemIndex = study.items.indexOf(item)
  const aois = useMemo(() => study.aois.filter((aoi) => aoi.itemId === item.id), [study, item])
  const { view, refused } = readView(query, { isOne: participantId !== null, aoiCount: aois.length })
  const { layers, of, weighting, chosen } = view
  const picture = usePicture(study.id, item)
  const aspect = item.widthPx && item.heightPx ? item.widthPx / item.heightPx : (picture.aspect ?? 16 / 9)
  const [lit, setLit] = useState<number | null>(null)
  const paint: AoiPaint = { colors: paintAois(aois.length, chosen), lit }
  const names = useMemo(() => new Map(people.all.map((each) => [each.id, nameOf(each)])), [people.all])
  const who = participantId === null ? 'all participants' : (names.get(participantId) ?? participantId.slice(0, 8))
  const subject = subjectOf(item, who)

  useEffect(() => {
    document.title = `${isolate(item.filename) || 'Item'} · ${isolate(study.name)} · Gazette`
  }, [item, study])
  // The address follows a little later: browsers limit how often it may change.
  useEffect(() => {
    setQuery(queryChanges(calm, defaults))
  }, [calm])

  const base = `/api2/studies/${study.id}/charts`
  const at = (some: Settings, more: Record<string, string | null> = {}) =>
    queryString(some, defaults, { itemId: item.id, participantId, ...more })
  const key = `${item.id} ${participantId}`
  // Asked for first, since it is what everybody sees first.
  const heatmap = useData<HeatmapData>(
    layers.heatmap
      ? `${base}/heatmap${at(of === 'gazes' ? gazeSettings(calm, defaults) : calm, { of, weighting })}`
      : null,
    0,
    `${key} ${of} ${weighting}`,
  )
  // One participant follows the slider at once; everybody waits until it rests.
  const moving = participantId === null ? calm : settings
  const fixations = useData<FixationsData>(`${base}/fixations${at(moving)}`, 0, key)
  const isDefault = Object.entries(settings).every(([name, value]) => value === defaults[name])
  const grade = { ...defaults, participantQualityGradeItemMin: moving.participantQualityGradeItemMin }
  const byDefault = useData<FixationsData>(isDefault ? null : `${base}/fixations${at(grade)}`, 0, key)
  const points = layers.gaze && participantId === null ? 'true' : null
  const gaze = useData<GazeData>(`${base}/gaze${at(gazeSettings(calm, defaults), { points })}`, 0, key)
  const bars = useData<AoisData>(aois.length > 0 ? `${base}/aois${at(calm)}` : null, 0, key)
  const heat = useHeat(layers.heatmap ? heatmap.data : null, view.heat)
  const drawnMs = useDrawTime(settings, fixations)
  const untilMs = spanOf(item, fixations.data)
  const empty = emptyOf(fixations.data?.kept ?? null, people, settings)

  const shown: StimulusParts = {
    view,
    fixations: fixations.data,
    gaze: layers.gaze ? gaze.data : null,
    heatmap: layers.heatmap ? heatmap.data : null,
    heat,
    bars: layers.aois ? bars.data : null,
  }
  const sources: Loaded<unknown>[] = [
    fixations,
    ...(layers.heatmap ? [heatmap] : []),
    ...(layers.gaze ? [gaze] : []),
    ...(layers.aois && aois.length > 0 ? [bars] : []),
  ]
  const stimulus = together(sources)
  const isThere = fixations.data !== null && (!layers.heatmap || heat !== null)
  const choose = (id: string) => setQuery({ participant: id, layers: query.get('layers') })
  // Without it, the list of participants would look whole.
  const missing = people.first.problem ?? people.problem
  const neighbours = neighboursOf(people.all, participantId, itemIndex)
  return (
    <>
      <nav class="crumbs" aria-label="Where you are">
        <a href="/">Studies</a> <span aria-hidden="true">/</span>{' '}
        <a href={`/studies/${study.id}`}>
          <bdi>{study.name || 'Study'}</bdi>
        </a>{' '}
        <span aria-hidden="true">/</span>
      </nav>
      <div class="page-head">
        <h1>
          <bdi>{item.filename || 'Item'}</bdi>
        </h1>
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
      <RefusedLink refused={[...fromLink.refused, ...refused]} />
      <Redrawn fixations={fixations} subject={subject} />
      <div class="item-grid">
        <div class="item-main">
          <Figure
            title="Stimulus"
            subject={subject}
            legend={layers.aois ? legendOf(aois, paint.colors, bars.data) : []}
            bar={
              shown.heatmap !== null && heat !== null
                ? (colors) => <ColorBar data={shown.heatmap!} heat={heat} colors={colors} />
                : null
            }
            fileName={`gazette-stimulus-${slug(item.filename)}`}
            short={stimulusShort(shown)}
            caption={stimulusCaption(subject, shown)}
            loaded={stimulus}
            narrowest={240}
            numbers={() => stimulusNumbers(shown, aois, names)}
            empty={empty}
            draw={
              isThere
                ? (colors, width) => (
                    <Stimulus
                      width={fitting(width, aspect)}
                      colors={colors}
                      data={{
                        item,
                        aspect,
                        picture,
                        aois,
                        paint,
                        points: shown.gaze?.points ?? [],
                        scanpaths: fixations.data?.tests.map((test) => test.fixations) ?? [],
                        heat,
                        layers,
                      }}
                    />
                  )
                : null
            }
            controls={
              <>
                <LayerControls layers={layers} hasAois={aois.length > 0} />
                {layers.heatmap && <HeatControls view={view} drawn={heat} />}
                {fixations.data !== null && fixations.problem === null && empty === null && (
                  <Summary data={fixations.data} byDefault={isDefault ? null : byDefault.data} drawnMs={drawnMs} />
                )}
              </>
            }
            below={
              <>
                {shown.heatmap !== null && heat !== null && <HeatLegend data={shown.heatmap} heat={heat} />}
                {layers.aois && aois.length > 0 && (
                  <AoiLegend aois={aois} paint={paint} bars={bars.data} onLight={setLit} />
                )}
              </>
            }
          />
          {empty === null && (
            <Lower
              {...{
                aois,
                chosen,
                paint,
                names,
                subject,
                fixations,
                gaze,
                bars,
                untilMs,
                isOne: participantId !== null,
              }}
              onLight={setLit}
              itemName={item.filename}
            />
          )}
        </div>
        <Side>
          <section class="card panel who-panel">
            <h2>Participant</h2>
            <div class="who">
              <select
                aria-label="Participant"
                value={participantId ?? ''}
                onChange={(event) => choose(event.currentTarget.value)}
              >
                <option value="">All participants</option>
                {people.all.map((each) => (
                  <option key={each.id} value={each.id} disabled={each.grades[itemIndex] === null} dir="auto">
                    {`${isolate(nameOf(each))}${each.grades[itemIndex] === null ? ' – not shown' : ` – grade ${each.grades[itemIndex]}`}`}
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
            {missing !== null && <Trouble problem={missing} retry={people.first.retry} />}
            <GradeFilter settings={settings} onChange={setSettings} />
            {fixations.data !== null && fixations.problem === null && <KeptLine kept={fixations.data.kept} />}
          </section>
          <section class="card panel">
            <div class="panel-head">
              <h2>Settings</h2>
              <button
                type="button"
                class="small"
                onClick={() => {
                  setSettings(defaults)
                  setResets(resets + 1)
                }}
              >
                Back to defaults
              </button>
            </div>
            <SettingsPanel key={resets} parameters={parameters} settings={settings} onChange={setSettings} />
            <CopyLink />
          </section>
        </Side>
      </div>
    </>
  )
}

/** One answer of several: as fresh as the oldest, and the first problem, whose retry asks for all. */
function together(sources: Loaded<unknown>[]): Pick<Loaded<unknown>, 'isFresh' | 'problem' | 'retry'> {
  return {
    isFresh: sources.every(({ isFresh }) => isFresh),
    problem: sources.find(({ problem }) => problem !== null)?.problem ?? null,
    retry: () => {
      for (const source of sources) if (source.problem !== null) source.retry()
    },
  }
}

/** What to say instead of drawing nothing. */
function emptyOf(kept: Kept | null, people: People, { participantQualityGradeItemMin: least }: Settings) {
  if (kept === null || kept.tests > 0) return null
  if (people.first.data?.total === 0)
    return (
      <Empty title="This study has no participants yet">
        <HowToBringIn />
      </Empty>
    )
  if (kept.testsTotal === 0)
    return (
      <Empty title="Nobody’s gaze was recorded on this item">
        <p>No test of the study is of this item, so there is nothing to draw. Other items may have some.</p>
      </Empty>
    )
  return (
    <Empty title={`None of ${countOf(kept.testsTotal, 'test')} is kept`}>
      <p>
        None has at least quality grade {least} ({GRADES[least]}). Choose a lower minimum quality grade.
      </p>
    </Empty>
  )
}

/** Participant and settings. On a narrow screen they lie along its lower edge, so that the picture above redraws in sight. */
function Side({ children }: { children: ComponentChildren }) {
  const [isFolded, setIsFolded] = useState(false)
  return (
    <aside class={`item-side${isFolded ? ' folded' : ''}`} aria-label="Participant and settings">
      <button type="button" class="fold small" aria-expanded={!isFolded} onClick={() => setIsFolded(!isFolded)}>
        {isFolded ? 'Show participant and settings' : 'Hide participant and settings'}
      </button>
      <div class="side-panels">{children}</div>
    </aside>
  )
}

const SAID_AFTER_MS = 600

/** Tells those who hear the page what a change of settings has led to, once it rests. */
function Redrawn({
  fixations: { data, isFresh, problem },
  subject,
}: {
  fixations: Loaded<FixationsData>
  subject: string
}) {
  const [text, setText] = useState('')
  const first = useRef(true)
  useEffect(() => {
    if (data === null || !isFresh || problem !== null) return
    const isFirst = first.current
    first.current = false
    if (isFirst) return
    const timer = window.setTimeout(
      () =>
        setText(
          `Redrawn: ${countOf(data.fixationCount, 'fixation')}, ${countOf(data.kept.tests, 'test')} kept, ${subject}`,
        ),
      SAID_AFTER_MS,
    )
    return () => window.clearTimeout(timer)
  }, [data, isFresh, problem, subject])
  return (
    <p class="unseen redrawn" role="status" aria-live="polite">
      {text}
    </p>
  )
}

function Lower({
  itemName,
  aois,
  chosen,
  paint,
  names,
  subject,
  fixations,
  gaze,
  bars,
  untilMs,
  isOne,
  onLight,
}: {
  itemName: string
  aois: Aoi[]
  chosen: number[]
  paint: AoiPaint
  names: Map<string, string>
  subject: string
  fixations: Loaded<FixationsData>
  gaze: Loaded<GazeData>
  bars: Loaded<AoisData>
  untilMs: number
  isOne: boolean
  onLight: (a: number | null) => void
}) {
  const data = fixations.data
  const inAll = `A fixation in several AOIs has the colour of the first chosen one; dark grey is an AOI without a colour of its own, pale grey is in none.`
  const spread = isOne
    ? ''
    : ` Line: mean of the participants' own means in a bin; band: ± 1 sample standard deviation of these means over participants (n − 1). Shares in AOIs are of all gaze points; AOIs may overlap, so they may add up to more than 100 %.`
  return (
    <div class="stack">
      <Figure
        title="Scarf plot"
        subject={subject}
        legend={legendOf(aois, paint.colors)}
        fileName={`gazette-scarf-${slug(itemName)}`}
        short={
          data === null ? '' : `${nOf(data)}.${drawnOf(data)} A row a test, a bar a fixation; the number is its AOI.`
        }
        caption={
          data === null
            ? ''
            : `${captionOf(subject, data)}${drawnOf(data)} Numbers in the bars are those of AOIs. ${inAll}`
        }
        loaded={fixations}
        scrolls={(data?.tests.length ?? 0) > 30}
        numbers={() => fixationNumbers({ fixations: data!, aois, names })}
        empty={
          data !== null && data.fixationCount === 0 ? (
            <Empty title="No fixations with these settings">
              <p>
                Gaze was recorded, but none of it is a fixation: try a higher velocity threshold or a shorter minimum.
              </p>
            </Empty>
          ) : null
        }
        draw={
          data &&
          ((colors, width) => (
            <Scarf data={{ fixations: data, aois, chosen, paint, names, untilMs }} width={width} colors={colors} />
          ))
        }
        below={
          aois.length > 0 ? (
            <>
              <AoiLegend aois={aois} paint={paint} onLight={onLight} />
              <AoiChooser aois={aois} chosen={chosen} colors={paint.colors} />
            </>
          ) : (
            <NoAois />
          )
        }
      />
      {aois.length > 0 && (
        <Figure
          title="Areas of interest"
          subject={subject}
          fileName={`gazette-aois-${slug(itemName)}`}
          short={bars.data === null ? '' : `${nOf(bars.data)}. A dash: it did not happen.`}
          caption={
            bars.data === null
              ? ''
              : `${captionOf(subject, bars.data)} A dash means that it did not happen. A fixation in several AOIs counts in each, so dwell times may add up to more than the total fixation time.`
          }
          loaded={bars}
          numbers={() => aoiNumbers(bars.data!)}
          draw={
            bars.data &&
            ((colors, width) => <AoiBars data={bars.data!} aois={aois} paint={paint} width={width} colors={colors} />)
          }
        />
      )}
      <Figure
        title="Gaze over time"
        subject={subject}
        fileName={`gazette-gaze-${slug(itemName)}`}
        short={
          gaze.data === null
            ? ''
            : `${nOf(gaze.data)}, bins of ${gaze.data.binMs} ms.${isOne ? '' : ' Mean ± 1 sample SD over participants’ means.'}`
        }
        caption={
          gaze.data === null
            ? ''
            : `${captionOf(subject, gaze.data)} ${count(gaze.data.pointCount)} recorded gaze points after denoising, interpolated ones left out, in bins of ${gaze.data.binMs} ms.${spread}${gaze.data.pointsEvery > 1 ? ` One point in ${gaze.data.pointsEvery} is drawn.` : ''}`
        }
        loaded={gaze}
        numbers={() => gazeNumbers(gaze.data!, aois)}
        draw={
          gaze.data &&
          ((colors, width) => <GazeTime {...{ data: gaze.data!, aois, paint, isOne, untilMs, width, colors }} />)
        }
      />
    </div>
  )
}

/** The gaze before fixations are looked for knows one setting only. */
function gazeSettings(settings: Settings, defaults: Settings): Settings {
  const { movingMedianRangeMs, participantQualityGradeItemMin } = settings
  return { ...defaults, movingMedianRangeMs, participantQualityGradeItemMin }
}

const CALM_MS = 220

/** The settings once they have rested for a moment. */
function useCalm(settings: Settings): Settings {
  const [calm, setCalm] = useState(settings)
  useEffect(() => {
    const timer = window.setTimeout(() => setCalm(settings), CALM_MS)
    return () => window.clearTimeout(timer)
  }, [settings])
  return calm
}

function useHeat(data: HeatmapData | null, style: HeatStyle): Heat | null {
  const { kernel, colors, opacity, max } = style
  return useMemo(() => data && paintHeat(data, { kernel, colors, opacity, max }), [data, kernel, colors, opacity, max])
}

/** How long after a change of settings the drawing showed it; null before the first change. */
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

/** A tall page is drawn smaller, so that it and the settings are seen together. */
function fitting(width: number, aspect: number): number {
  return Math.round(Math.min(width, Math.max(420, TALLEST_PX * aspect)))
}

/** The item's picture once it is known to be there, or why there is none. */
function usePicture(studyId: string, item: Item): Picture {
  const [picture, setPicture] = useState<Picture>({ href: null, aspect: null, lack: null })
  const name = isolate(item.filename) || 'this item'
  useEffect(() => {
    const href = imageOf(studyId, item)
    const lacking = `No picture of ${name} was imported`
    if (href === null) return setPicture({ href: null, aspect: null, lack: lacking })
    const controller = new AbortController()
    const image = new Image()
    image.onload = () => setPicture({ href, aspect: image.naturalWidth / image.naturalHeight || null, lack: null })
    image.onerror = () => {
      const tell = (lack: string) => controller.signal.aborted || setPicture({ href: null, aspect: null, lack })
      request(href, { method: 'HEAD', signal: controller.signal }).then(
        () => tell(`The picture of ${name} is damaged, or of a kind that this browser cannot show`),
        (problem: { status?: number }) =>
          tell(problem.status === 404 ? lacking : `The picture of ${name} could not be loaded`),
      )
    }
    image.src = href
    return () => {
      controller.abort()
      image.onload = null
      image.onerror = null
    }
  }, [studyId, item])
  return picture
}

function NoAois() {
  return <p class="hint">This item has no areas of interest, so all fixations are pale grey.</p>
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
