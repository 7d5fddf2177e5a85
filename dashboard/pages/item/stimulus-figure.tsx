import type { ComponentChildren, VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Aoi, Item } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { slug } from '../../core/number-texts.ts'
import { drawsDensity, type View } from '../../core/view/chart-view.ts'
import { AoiLegend, legendOf } from '../../figures/aoi-legend.tsx'
import { type StimulusParts, stimulusCaption, stimulusNumbers } from '../../figures/captions.ts'
import { ColorBar } from '../../figures/color-bar.tsx'
import { Figure } from '../../figures/figure.tsx'
import { FrameChoice, withFrame } from '../../figures/frame-choice.tsx'
import { plotsLegend, usePlots } from '../../figures/gaze-plots.ts'
import { GazePlotsChoice } from '../../figures/gaze-plots-choice.tsx'
import { together } from '../../figures/item-answers.ts'
import { HeatLegend, LayerControls } from '../../figures/settings/layers.tsx'
import { Summary } from '../../figures/settings/summary.tsx'
import { type Picture, Stimulus } from '../../figures/stimulus.tsx'
import { fitting } from '../../ui/waiting/await-item.tsx'
import type { ItemAnswers } from './use-answers.ts'

type StimulusFigureProps = {
  item: Item
  aois: Aoi[]
  view: View
  picture: Picture
  paint: AoiPaint
  /** Names of participants, by id. */
  names: Map<string, string>
  subject: string
  /** True if the charts are of one participant. */
  isOne: boolean
  answers: ItemAnswers
  /** Shown instead if there is nothing to draw. */
  empty: VNode | null
  /** Drawn over the picture. */
  over?: ComponentChildren
  onLight: (aoiIndex: number | null) => void
}

const EXPLAINED = [
  { of: 'fixation', name: 'Fixation' },
  { of: 'saccade', name: 'Saccade' },
  { of: 'gaze point', name: 'Gaze point' },
]

/** Draws an item with the chosen layers and their controls. */
export function StimulusFigure(props: StimulusFigureProps) {
  const { item, aois, view, picture, paint, names, subject, answers, empty, over = null } = props
  const { layers } = view
  const { aspect } = picture
  const plots = usePlots(answers.fixations.data, names, layers.scanpath ? view.plotted : null)
  const shown = { ...shownOf(answers, view), plots }
  const { fixations, gaze, heatmap, heat } = shown
  const drawn = {
    ...{ item, aspect, picture, aois, paint, heat, layers },
    points: gaze?.points ?? [],
    scanpaths: layers.scanpath ? (fixations?.tests.map((test) => test.fixations) ?? []) : [],
    plots: plots?.drawn ?? null,
  }
  const isLoaded = fixations !== null && (!drawsDensity(layers) || heat !== null)
  const hasHeat = heatmap !== null && heat !== null
  // What a slider does not change is not drawn anew while it moves.
  const layerControls = useMemo(() => <LayerControls layers={layers} hasAois={aois.length > 0} />, [layers, aois])
  const heatLegend = useMemo(() => hasHeat && <HeatLegend data={heatmap} heat={heat} />, [heatmap, heat])
  return (
    <Figure
      title="Stimulus"
      explains={EXPLAINED}
      {...{ subject, over, empty, aspect }}
      legend={[
        ...(plots === null ? [] : plotsLegend(plots)),
        ...(layers.aois ? legendOf(aois, paint.colors, shown.bars) : []),
      ]}
      bar={hasHeat ? (colors) => <ColorBar data={heatmap} heat={heat} colors={colors} /> : null}
      fileName={`gazette-stimulus-${slug(item.filename)}`}
      caption={withFrame(stimulusCaption(subject, shown), picture, layers.aois ? aois : [])}
      loaded={loadedOf(answers, layers, aois.length > 0)}
      narrowest={240}
      numbers={() => stimulusNumbers(shown, aois, names)}
      draw={
        isLoaded ? (colors, width) => <Stimulus width={fitting(width, aspect)} colors={colors} data={drawn} /> : null
      }
      madeOf={[
        ...[item, aspect, picture, aois, paint, gaze],
        ...[layers.scanpath && fixations, plots, heat, Object.values(layers).join()],
      ]}
      isFirst
      controls={
        <>
          {layerControls}
          <FrameChoice picture={picture} />
          {empty === null && <SummaryOf answers={answers} />}
        </>
      }
      below={
        <>
          {heatLegend}
          <LegendsBelow {...{ props, shown }} />
        </>
      }
    />
  )
}

/** Draws the legends of the layers over the heatmap. */
function LegendsBelow({ props, shown }: { props: StimulusFigureProps; shown: StimulusParts }) {
  const { aois, view, paint, names, isOne, onLight } = props
  const { layers, plotted } = view
  const { fixations, bars, plots } = shown
  return (
    <>
      {layers.scanpath && fixations !== null && !isOne && (
        <GazePlotsChoice {...{ plotted, plots, names }} tests={fixations.tests} />
      )}
      {layers.aois && aois.length > 0 && <AoiLegend {...{ aois, paint, bars, onLight }} />}
    </>
  )
}

/** Returns the data of the chosen layers. */
function shownOf({ fixations, gaze, heatmap, heat, bars }: ItemAnswers, view: View): Omit<StimulusParts, 'plots'> {
  const { layers } = view
  return {
    view,
    fixations: fixations.data,
    gaze: layers.gaze ? gaze.data : null,
    heatmap: drawsDensity(layers) ? heatmap.data : null,
    heat,
    bars: layers.aois ? bars.data : null,
  }
}

function loadedOf({ fixations, gaze, heatmap, bars }: ItemAnswers, layers: View['layers'], hasAois: boolean) {
  return together([
    fixations,
    ...(drawsDensity(layers) ? [heatmap] : []),
    ...(layers.gaze ? [gaze] : []),
    ...(layers.aois && hasAois ? [bars] : []),
  ])
}

/** Draws the numbers that settings change, or reserves their space. */
function SummaryOf({ answers: { fixations, isDefault, byDefault } }: { answers: ItemAnswers }) {
  if (fixations.problem !== null) return null
  if (fixations.data === null) return <div class="summary-room" />
  return <Summary data={fixations.data} byDefault={isDefault ? null : byDefault.data} />
}
