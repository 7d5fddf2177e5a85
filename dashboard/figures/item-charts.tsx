import { useMemo } from 'preact/hooks'
import type { Aoi, AoisData, FixationsData, GazeData, Item, Loaded } from '../core/api.ts'
import type { AoiPaint } from '../core/colors/aoi-colors.ts'
import { count, countOf, slug } from '../core/number-texts.ts'
import { Empty } from '../ui/waiting/states.tsx'
import { AoiFigure } from './aoi-figure.tsx'
import { AoiChooser, AoiLegend, legendOf } from './aoi-legend.tsx'
import { AoiOrderChoice, hiddenAois, hiddenWords, ranksOf, useAoiOrder } from './aoi-order.tsx'
import { type Caption, NO_CAPTION, ofWhom, scarfCaption, sourceOf } from './captions.ts'
import { Figure } from './figure.tsx'
import { GazeTime, gazeNumbers } from './gaze-time.tsx'
import { fixationNumbers, SCARF_WORDS, Scarf } from './scarf.tsx'

type Props = {
  item: Item
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
}

/** Draws the charts below an item's picture: who looked at what when. */
export function ItemCharts(props: Props) {
  const { itemName, aois, paint, subject, bars } = props
  return (
    <div class="stack">
      <ScarfFigure {...props} />
      {aois.length > 0 && <AoiFigure {...{ itemName, subject, aois, paint }} loaded={bars} />}
      <GazeFigure {...props} />
    </div>
  )
}

function ScarfFigure({
  itemName,
  aois,
  chosen,
  paint,
  names,
  subject,
  fixations,
  untilMs,
  onLight,
}: Omit<Props, 'gaze' | 'bars' | 'isOne' | 'item'>) {
  const { data } = fixations
  const order = useAoiOrder()
  const ranks = useMemo(() => ranksOf(aois, data, order), [aois, data, order])
  const hidden = useMemo(() => (data === null ? [] : hiddenAois(data, chosen, ranks)), [data, chosen.join(), ranks])
  return (
    <Figure
      title="Scarf plot"
      explains={SCARF_WORDS}
      subject={subject}
      legend={legendOf(aois, paint.colors)}
      fileName={`gazette-scarf-${slug(itemName)}`}
      caption={data === null ? NO_CAPTION : scarfCaption(subject, data, aois.length > 0, hiddenWords(hidden, aois))}
      loaded={fixations}
      scrolls={(data?.tests.length ?? 0) > 30}
      numbers={() => fixationNumbers({ fixations: data!, aois, names })}
      empty={
        data !== null && data.fixationCount === 0 ? (
          <Empty title="No fixations with these settings">
            <p>
              Gaze was recorded, but contains no fixation. Try a higher velocity threshold or a shorter minimum
              duration.
            </p>
          </Empty>
        ) : null
      }
      draw={
        data &&
        ((colors, width) => (
          <Scarf data={{ fixations: data, aois, chosen, paint, names, untilMs, ranks }} width={width} colors={colors} />
        ))
      }
      madeOf={[data, aois, paint, names, untilMs, ranks]}
      below={
        aois.length > 0 ? (
          <>
            <AoiLegend aois={aois} paint={paint} onLight={onLight} />
            <AoiChooser aois={aois} chosen={chosen} colors={paint.colors} />
            <AoiOrderChoice />
          </>
        ) : (
          <p class="hint">This item has no areas of interest, so all fixations are pale grey.</p>
        )
      }
    />
  )
}

function GazeFigure({
  itemName,
  aois,
  paint,
  subject,
  fixations,
  gaze,
  untilMs,
  isOne,
}: Pick<Props, 'itemName' | 'aois' | 'paint' | 'subject' | 'fixations' | 'gaze' | 'untilMs' | 'isOne'>) {
  const { data } = gaze
  const events = useMemo(() => (isOne ? eventsOf(fixations.data) : []), [isOne, fixations.data])
  return (
    <Figure
      title="Gaze over time"
      explains={[{ of: 'gaze point', name: 'Gaze point' }]}
      subject={subject}
      fileName={`gazette-gaze-${slug(itemName)}`}
      caption={data === null ? NO_CAPTION : gazeCaption(subject, data, isOne)}
      loaded={gaze}
      numbers={() => gazeNumbers(data!, aois)}
      draw={data && ((colors, width) => <GazeTime {...{ data, aois, paint, isOne, events, untilMs, width, colors }} />)}
      madeOf={[data, aois, paint, isOne, events, untilMs]}
    />
  )
}

/** Returns the events of the listed tests. */
function eventsOf(data: FixationsData | null): { tMs: number; name: string }[] {
  return (data?.tests ?? []).flatMap(({ events = [] }) => events.map(([tMs, name]) => ({ tMs, name })))
}

function gazeCaption(subject: string, data: GazeData, isOne: boolean): Caption {
  const { pointCount, pointsEvery, binMs } = data
  const spread = isOne
    ? ''
    : ` Line: mean of the participants' own means in a bin; band: ± 1 sample standard deviation of these means over participants (n − 1), none for one participant; below the axis, the number of participants in the bin. Shares in AOIs are of all gaze points; AOIs may overlap, so they may add up to more than 100 %.`
  const thinned = pointsEvery > 1 ? ` One in ${pointsEvery} points is drawn.` : ''
  return {
    short: `Where ${countOf(pointCount, 'gaze point')} lie over time, in bins of ${binMs} ms, ${ofWhom(data)}`,
    reading: `${count(pointCount)} recorded gaze points after denoising, interpolated ones left out, in bins of ${binMs} ms.${spread}${thinned}`,
    sources: [sourceOf(subject, data)],
  }
}
