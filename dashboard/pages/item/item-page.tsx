import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Item, mayWrite, type Session, type Study } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { paintAois } from '../../core/colors/aoi-colors.ts'
import { isolate, nameOf } from '../../core/number-texts.ts'
import { type People, usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { defaultsOf, pageQuery, queryChanges, readSettings, type Settings } from '../../core/view/chart-settings.ts'
import { readView } from '../../core/view/chart-view.ts'
import { type StimulusParts, subjectOf } from '../../figures/captions.ts'
import { spanOf, together, useCalm, useHeat } from '../../figures/item-answers.ts'
import { ItemCharts } from '../../figures/item-charts.tsx'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { usePicture } from '../../figures/picture.ts'
import { CopyLink, Side } from '../../figures/settings/item-side.tsx'
import { Redrawn } from '../../figures/settings/redrawn.tsx'
import { SettingsPanel } from '../../figures/settings/settings-panel.tsx'
import { Summary } from '../../figures/settings/summary.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { AwaitItem, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { RefusedLink } from '../../ui/waiting/states.tsx'
import { ChartsWindow, WindowSlider } from '../../ui/window/window-slider.tsx'
import { ItemHead } from './item-head.tsx'
import { StimulusFigure } from './stimulus-figure.tsx'
import { useAnswers } from './use-answers.ts'
import { WhoPanel } from './who-panel.tsx'

const PicturesDialog = lazyPage(() => import('../pictures/pictures-dialog.tsx').then((loaded) => loaded.PicturesDialog))

type ItemPageProps = { studyId: string; itemId: string; session: Session }

export function ItemPage({ studyId, itemId, session }: ItemPageProps) {
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
      <Button onClick={() => setIsOpen(true)}>Add a picture</Button>
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
