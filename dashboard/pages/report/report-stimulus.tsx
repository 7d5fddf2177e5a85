import type { Aoi, AoisData, FixationsData, HeatmapData, Item } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { slug } from '../../core/number-texts.ts'
import type { Loaded } from '../../core/use-data.ts'
import { drawsDensity, readView, type View } from '../../core/view/chart-view.ts'
import { AoiKey, legendOf } from '../../figures/aoi-legend.tsx'
import { figureSubject, stimulusCaption, stimulusNumbers } from '../../figures/captions.ts'
import { ColorBar } from '../../figures/color-bar.tsx'
import { Figure } from '../../figures/figure.tsx'
import { withFrame } from '../../figures/frame-choice.tsx'
import { plotsLegend, usePlots } from '../../figures/gaze-plots.ts'
import { PlotsKey } from '../../figures/gaze-plots-choice.tsx'
import { together, useHeat } from '../../figures/item-answers.ts'
import { HeatLegend } from '../../figures/settings/layers.tsx'
import { type Picture, Stimulus } from '../../figures/stimulus.tsx'
import { fitting } from '../../ui/waiting/await-item.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { figureTitle, type Who } from './item-parts.tsx'

/** Returns what each part that is drawn over the item shows. */
export function viewsOf(aoiCount: number): Record<'heatmap' | 'fog' | 'plots', View> {
  const aois = aoiCount > 0 ? '.aois' : ''
  const viewOf = (query: Record<string, string>) =>
    readView(new URLSearchParams(query), { isOne: false, aoiCount }).view
  return {
    heatmap: viewOf({ layers: `heatmap${aois}` }),
    fog: viewOf({ layers: `fog${aois}` }),
    // Participants have the colours of AOIs here.
    plots: viewOf({ layers: 'scanpath', plots: 'all' }),
  }
}

type ReportStimulusProps = {
  title: string
  item: Item
  who: Who
  aois: Aoi[]
  paint: AoiPaint
  picture: Picture
  names: Map<string, string>
  view: View
  answers: { heatmap: Loaded<HeatmapData>; fixations: Loaded<FixationsData>; bars: Loaded<AoisData> }
  isEmpty: boolean
  /** False where a table beside the figure names the AOIs. */
  hasKey: boolean
}

/** Draws an item with the layers of a view, once its picture is loaded, too. */
export function ReportStimulus({
  title,
  item,
  who,
  paint,
  picture,
  names,
  view,
  answers,
  isEmpty,
  hasKey,
  ...of
}: ReportStimulusProps) {
  const { layers } = view
  const aois = layers.aois ? of.aois : []
  const isOfDensity = drawsDensity(layers)
  const { fixations, ...answered } = answers
  const heatmap = isOfDensity ? answered.heatmap.data : null
  const bars = layers.aois ? answered.bars.data : null
  const heat = useHeat(heatmap, view.heat)
  const plots = usePlots(fixations.data, names, view.plotted)
  const scanpaths = layers.scanpath ? (fixations.data?.tests.map((test) => test.fixations) ?? []) : []
  const { aspect } = picture
  const shown = { view, fixations: fixations.data, gaze: null, heatmap, heat, bars, plots }
  const isThere =
    (heat !== null || !isOfDensity) && fixations.data !== null && (picture.href !== null || picture.lack !== null)
  const over = { aois, paint, points: [], scanpaths, heat, layers, plots: plots?.drawn ?? null }
  return (
    <Figure
      title={figureTitle(title, item, who)}
      subject={who.name}
      fileName={`gazette-${slug(title)}-${slug(item.filename)}`}
      caption={withFrame(stimulusCaption(figureSubject(item, who.name), shown), picture, aois)}
      loaded={together([
        fixations,
        ...(isOfDensity ? [answered.heatmap] : []),
        ...(aois.length > 0 ? [answered.bars] : []),
      ])}
      narrowest={240}
      legend={[...(plots === null ? [] : plotsLegend(plots)), ...legendOf(aois, paint.colors, bars)]}
      bar={heat === null ? null : (colors) => <ColorBar data={heatmap!} heat={heat} colors={colors} />}
      numbers={() => stimulusNumbers(shown, aois, names)}
      empty={isEmpty ? <Empty title="No test of this item with valid gaze remains" /> : null}
      draw={
        isThere
          ? (colors, width) => (
              <Stimulus width={fitting(width, aspect)} colors={colors} data={{ item, aspect, picture, ...over }} />
            )
          : null
      }
      madeOf={[item, aspect, picture.href, of.aois, paint, heat, plots]}
      below={
        <>
          {heat !== null && heatmap !== null && <HeatLegend data={heatmap} heat={heat} />}
          {plots !== null && <PlotsKey plots={plots} />}
          {hasKey && <AoiKey aois={aois} colors={paint.colors} />}
        </>
      }
    />
  )
}
