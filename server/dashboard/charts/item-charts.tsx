import type { Aoi, AoisData, FixationsData, GazeData, Loaded } from '../api.ts'
import type { AoiPaint } from '../colors/aoi-colors.ts'
import { count, slug } from '../number-texts.ts'
import { Empty } from '../waiting/states.tsx'
import { AoiBars, aoiNumbers } from './aoi-bars.tsx'
import { AoiChooser, AoiLegend, legendOf } from './aoi-legend.tsx'
import { captionOf, drawnOf, nOf } from './captions.ts'
import { Figure } from './figure.tsx'
import { GazeTime, gazeNumbers } from './gaze-time.tsx'
import { fixationNumbers, Scarf } from './scarf.tsx'

/** The charts below an item's picture: who looked at what when. */
export function ItemCharts({
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
        madeOf={[data, aois, paint, names, untilMs]}
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
          madeOf={[bars.data, aois, paint]}
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
        madeOf={[gaze.data, aois, paint, isOne, untilMs]}
      />
    </div>
  )
}

function NoAois() {
  return <p class="hint">This item has no areas of interest, so all fixations are pale grey.</p>
}
