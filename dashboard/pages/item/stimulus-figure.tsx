import type { ComponentChildren, VNode } from 'preact'
import type { Aoi, Item, Loaded } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { slug } from '../../core/number-texts.ts'
import { AoiLegend, legendOf } from '../../figures/aoi-legend.tsx'
import { type StimulusParts, stimulusCaption, stimulusNumbers } from '../../figures/captions.ts'
import { ColorBar } from '../../figures/color-bar.tsx'
import { Figure } from '../../figures/figure.tsx'
import { HeatControls, HeatLegend, LayerControls } from '../../figures/settings/layers.tsx'
import { type Picture, Stimulus } from '../../figures/stimulus.tsx'
import { fitting } from '../../ui/waiting/await-item.tsx'

type StimulusFigureProps = {
  item: Item
  aois: Aoi[]
  /** Width by height. */
  aspect: number
  picture: Picture
  paint: AoiPaint
  /** Names of participants, by id. */
  names: Map<string, string>
  subject: string
  shown: StimulusParts
  loaded: Pick<Loaded<unknown>, 'isFresh' | 'problem' | 'retry'>
  /** Stands in its place where nothing is to be drawn. */
  empty: VNode | null
  summary: ComponentChildren
  /** Lies over the picture. */
  over?: ComponentChildren
  onLight: (aoiIndex: number | null) => void
}

/** Draws an item with the layers that are chosen, and with what chooses them. */
export function StimulusFigure({
  item,
  aois,
  aspect,
  picture,
  paint,
  names,
  subject,
  shown,
  loaded,
  empty,
  summary,
  over = null,
  onLight,
}: StimulusFigureProps) {
  const { view, heatmap, heat, bars } = shown
  const { layers } = view
  const isThere = shown.fixations !== null && (!layers.heatmap || heat !== null)
  const scanpaths = layers.scanpath ? shown.fixations : null
  return (
    <Figure
      title="Stimulus"
      explains={[
        { of: 'fixation', name: 'Fixation' },
        { of: 'saccade', name: 'Saccade' },
        { of: 'gaze point', name: 'Gaze point' },
      ]}
      subject={subject}
      legend={layers.aois ? legendOf(aois, paint.colors, bars) : []}
      bar={
        heatmap !== null && heat !== null ? (colors) => <ColorBar data={heatmap!} heat={heat} colors={colors} /> : null
      }
      fileName={`gazette-stimulus-${slug(item.filename)}`}
      caption={stimulusCaption(subject, shown)}
      loaded={loaded}
      narrowest={240}
      over={over}
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
                  scanpaths: scanpaths?.tests.map((test) => test.fixations) ?? [],
                  heat,
                  layers,
                }}
              />
            )
          : null
      }
      aspect={aspect}
      madeOf={[item, aspect, picture, aois, paint, shown.gaze, scanpaths, heat, Object.values(layers).join()]}
      isFirst
      controls={
        <>
          <LayerControls layers={layers} hasAois={aois.length > 0} />
          {layers.heatmap && <HeatControls view={view} drawn={heat} />}
          {summary}
        </>
      }
      below={
        <>
          {heatmap !== null && heat !== null && <HeatLegend data={heatmap} heat={heat} />}
          {layers.aois && aois.length > 0 && <AoiLegend aois={aois} paint={paint} bars={bars} onLight={onLight} />}
        </>
      }
    />
  )
}
