import { useMemo, useState } from 'preact/hooks'
import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import { useAoisOf } from '../../core/aois-of.ts'
import { type Item, mayWrite, type Session, type Study } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { isolate } from '../../core/number-texts.ts'
import { type People, usePeople, useWithLosses, whoOf } from '../../core/people/people.ts'
import { usePlace } from '../../core/router.ts'
import { useTitle } from '../../core/use-title.ts'
import { drawsDensity, ITEM_FIGURES, type ItemFigure, readView } from '../../core/view/chart-view.ts'
import { useSliders } from '../../core/view/link-settings.ts'
import { useHasLists } from '../../core/view/places.ts'
import { readScarf } from '../../core/view/scarf-view.ts'
import { namesOf, readShown } from '../../core/view/shown.ts'
import { figureSubject } from '../../figures/captions.ts'
import { useSpan } from '../../figures/item-answers.ts'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { usePicture } from '../../figures/picture.ts'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { Side } from '../../figures/settings/item-side.tsx'
import { HeatPanel } from '../../figures/settings/layers.tsx'
import { Redrawn } from '../../figures/settings/redrawn.tsx'
import { SettingsPanel } from '../../figures/settings/settings-panel.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { ShownChoice } from '../../ui/controls/shown-choice.tsx'
import { AwaitItem, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { lazyPage } from '../../ui/waiting/lazy-page.tsx'
import { RefusedLink } from '../../ui/waiting/states.tsx'
import { WithWindow } from '../../ui/window/window-slider.tsx'
import { ItemHead } from './item-head.tsx'
import { StimulusFigure } from './stimulus-figure.tsx'
import { useAnswers } from './use-answers.ts'
import { WhoPanel } from './who-panel.tsx'

const ItemCharts = lazyPage(() => import('../../figures/item-charts.tsx').then((loaded) => loaded.ItemCharts), {
  what: 'the charts',
  missing: 'The charts could not be loaded',
})
const PicturesDialog = lazyPage(() => import('../pictures/pictures-dialog.tsx').then((loaded) => loaded.PicturesDialog))

export function ItemPage({ studyId, itemId, session }: { studyId: string; itemId: string; session: Session }) {
  const people = useWithLosses(studyId, usePeople(studyId))
  return (
    <AwaitItem studyId={studyId} itemId={itemId}>
      {(known) => <ItemView {...known} people={people} mayDraw={mayWrite(session, studyId)} />}
    </AwaitItem>
  )
}

type ItemViewProps = KnownItem & { people: People; mayDraw: boolean }

function ItemView(props: ItemViewProps) {
  const { study, item, parameters, people, mayDraw } = props
  const hasLists = useHasLists()
  const itemView = useItemView(props)
  const { refused, participantId, settings, defaults, change, view, figure, answers, subject } = itemView
  const { fixations } = answers
  // What a slider does not change is not drawn anew while it moves.
  const head = useMemo(() => <ItemHead {...{ study, item, mayDraw }} />, [study, item, mayDraw])
  const heatPanel = useMemo(() => <HeatPanel view={view} drawn={answers.heat} />, [view, answers.heat])
  return (
    <ItemPlaces {...{ study, item, people }} who="Participants">
      {head}
      <RefusedLink refused={refused} />
      <Redrawn fixations={fixations} subject={subject} />
      <div class="item-grid">
        <ItemFigures {...{ props, itemView }} />
        <Side what={hasLists ? undefined : 'participant and settings'}>
          <WhoPanel
            {...{ people, participantId, settings, fixations }}
            itemIndex={study.items.indexOf(item)}
            onChange={change}
          />
          <SettingsPanel {...{ parameters, settings, defaults }} onChange={change} />
          {drawsDensity(view.layers) && (figure === 'picture' || figure === 'all') && heatPanel}
        </Side>
      </div>
    </ItemPlaces>
  )
}

/** Reads from the address what is shown of an item, and loads it. */
function useItemView({ study, item, parameters, people }: ItemViewProps) {
  const { query } = usePlace()
  const { settings, defaults, refused: refusedSettings, change } = useSliders(parameters)
  const participantId = query.get('participant') || null
  const aois = useAoisOf(study, item)
  const { view, refused } = useMemo(
    () => readView(query, { isOne: participantId !== null, aoiCount: aois.length }),
    [query, participantId, aois.length],
  )
  const { scarf, refused: refusedRows } = readScarf(query, aois.length)
  const subject = figureSubject(item, whoOf(people, participantId))
  useTitle(isolate(item.filename) || 'Item', isolate(study.name))
  const figure = readShown(query, 'figure', namesOf(ITEM_FIGURES))
  const answers = useAnswers({
    base: `/api2/studies/${study.id}/charts`,
    itemId: item.id,
    ...{ participantId, view, settings, defaults },
    hasAois: aois.length > 0,
    figure,
  })
  return {
    ...{ settings, defaults, change, participantId, aois, view, scarf, subject, figure, answers },
    refused: [...refusedSettings, ...refused, ...refusedRows],
  }
}

/** Draws the picture and the charts of an item: one, or all. */
function ItemFigures({ props, itemView }: { props: ItemViewProps; itemView: ReturnType<typeof useItemView> }) {
  const { study, item, people, mayDraw } = props
  const { settings, defaults, change, participantId, aois, view, scarf, subject, figure, answers } = itemView
  const { chosen } = view
  const picture = usePicture(study.id, item, settings)
  const [lit, setLit] = useState<number | null>(null)
  const colors = useAoiColors(study, aois, chosen)
  const paint = useMemo<AoiPaint>(() => ({ colors, lit }), [colors, lit])
  const { fixations, gaze, bars } = answers
  const untilMs = useSpan(study.id, item, [fixations.data])
  const empty = emptyOf(fixations.data, people, settings)
  const isOne = participantId !== null
  const shared = { study, item, aois, paint, names: people.names, subject, isOne, onLight: setLit }
  const choice = useMemo(() => <FigureChoice figure={figure} hasAois={aois.length > 0} />, [figure, aois])
  return (
    <div class={`item-main${figure === 'all' ? '' : ' single'}`}>
      {choice}
      {(figure === 'picture' || figure === 'all' || empty !== null) && (
        <StimulusFigure
          {...{ ...shared, view, picture, answers, empty }}
          over={mayDraw && picture.lack !== null ? <AddPicture {...{ study, item }} /> : null}
        />
      )}
      {empty === null && (
        <WithWindow isAll={figure === 'all'} {...{ item, settings, defaults, untilMs }} onChange={change}>
          {figure !== 'picture' && (
            <ItemCharts
              {...{ ...shared, chosen, fixations, gaze, bars, untilMs, figure, scarf, people, participantId }}
            />
          )}
        </WithWindow>
      )}
    </div>
  )
}

function FigureChoice({ figure, hasAois }: { figure: ItemFigure; hasAois: boolean }) {
  return (
    <ShownChoice
      legend="Figure"
      parameter="figure"
      names={namesOf(ITEM_FIGURES).filter((name) => name !== 'aois' || hasAois)}
      words={ITEM_FIGURES}
      shown={figure}
      hasKeys
    />
  )
}

/** Draws the button that adds a picture to an item without one. */
function AddPicture({ study, item }: { study: Study; item: Item }) {
  const [isOpen, setIsOpen] = useState(false)
  const close = (isChanged: boolean) => {
    setIsOpen(false)
    // All cached drawings belong to the earlier study.
    if (isChanged) location.reload()
  }
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Add a picture</Button>
      {isOpen && <PicturesDialog study={study} only={item} onClose={close} />}
    </>
  )
}
