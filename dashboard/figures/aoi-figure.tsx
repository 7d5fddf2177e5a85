import type { Aoi, AoisData } from '../core/api.ts'
import type { AoiPaint } from '../core/colors/aoi-colors.ts'
import { slug } from '../core/number-texts.ts'
import type { Loaded } from '../core/use-data.ts'
import { AoiBars, aoiMeasures, aoiNumbers } from './aoi-bars.tsx'
import { cutWords, NO_CAPTION, ofWhom, sourceOf } from './captions.ts'
import { Figure } from './figure.tsx'

/** Caption for columns that are means over the participants who looked. */
const OF_LOOKERS =
  'Viewers are participants with valid gaze on the item. Lookers are viewers with a fixation in the AOI. Means of first fixation, dwell time and revisits are over the tests of lookers that have one; the hit ratio is lookers among viewers.'
const READING =
  'A dash means that the event did not happen. A fixation in several AOIs counts in each, so dwell times may add up to more than the total fixation time. Times are summed in µs and rounded once, so that a duration can differ by 1 ms from fixation_duration_ms.'

/** Minimum width for the labels above four columns of bars. */
const NARROWEST_PX = 680

type AoiFigureProps = {
  title?: string
  itemName: string
  subject: string
  aois: Aoi[]
  paint: AoiPaint
  loaded: Pick<Loaded<AoisData>, 'data' | 'isFresh' | 'problem' | 'retry'>
  asDrawn?: boolean
}

/** Draws the measures of an item's areas of interest. @param asDrawn true for unsaved AOIs in the editor */
export function AoiFigure(props: AoiFigureProps) {
  const { title = 'Areas of interest', itemName, subject, aois, paint, loaded, asDrawn = false } = props
  const { data } = loaded
  const isOverall = data?.export === 'aoi-overall-stats'
  const caption = data && {
    short: `Fixations on each area of interest${asDrawn ? ' as drawn' : ''}${isOverall ? ', means of those who looked at it (lookers)' : ''}, ${ofWhom(data)}${cutWords(data)}`,
    reading: `${asDrawn ? 'The AOIs are as drawn and may differ from the saved ones. ' : ''}${isOverall ? `${OF_LOOKERS} ` : ''}${READING}`,
    sources: [sourceOf(subject, data)],
  }
  return (
    <Figure
      {...{ title, subject, loaded }}
      fileName={`gazette-aois${asDrawn ? '-drawn' : ''}-${slug(itemName)}`}
      caption={caption ?? NO_CAPTION}
      narrowest={NARROWEST_PX}
      numbers={() => aoiNumbers(data!)}
      explains={data === null ? [] : aoiMeasures(data)}
      draw={data && ((colors, width) => <AoiBars {...{ data, aois, paint, width, colors }} />)}
      madeOf={[data, aois, paint]}
    />
  )
}
