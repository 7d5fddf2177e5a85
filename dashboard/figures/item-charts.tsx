import { useMemo } from 'preact/hooks'
import { useAnalysis } from '../core/analysis/analysis-seen.ts'
import type { AoisData, FixationsData, GazeData, Item, Study } from '../core/api.ts'
import { useIsView } from '../core/link-seen.ts'
import { countOf, slug, wholeText } from '../core/number-texts.ts'
import type { People } from '../core/people/people.ts'
import { setQuery } from '../core/router.ts'
import type { Loaded } from '../core/use-data.ts'
import { withEntry } from '../core/view/board.ts'
import type { ItemFigure } from '../core/view/chart-view.ts'
import { type ScarfView, scarfQuery } from '../core/view/scarf-view.ts'
import { useStudyLink } from '../core/view/study-links.ts'
import { AoiColors } from './aoi-colors.tsx'
import { AoiFigure } from './aoi-figure.tsx'
import type { Caption } from './caption.ts'
import { NO_CAPTION, ofWhom, sourceOf } from './captions.ts'
import { eventWords } from './event-words.ts'
import { Figure } from './figure.tsx'
import { GazeTime, gazeNumbers } from './gaze-time.tsx'
import { useRowGroups } from './row-groups.ts'
import type { ScarfData } from './scarf.tsx'
import { ScarfFigure } from './scarf-figure.tsx'
import { ScarfOrderChoice } from './scarf-order-choice.tsx'

type Props = Pick<ScarfData, 'aois' | 'chosen' | 'paint' | 'names' | 'untilMs'> & {
  study: Study
  item: Item
  subject: string
  fixations: Loaded<FixationsData>
  gaze: Loaded<GazeData>
  bars: Loaded<AoisData>
  /** Null for all participants. */
  participantId: string | null
  isOne: boolean
  /** Order and alignment of the scarf plot's rows. */
  scarf: ScarfView
  people: People
  /** Figure to draw. */
  figure: ItemFigure
  onLight: (a: number | null) => void
}

/** Draws the charts below an item's picture: who looked where, and when. */
export function ItemCharts(props: Props) {
  const { study, item, aois, chosen, paint, subject, fixations, bars, figure, scarf, people, onLight } = props
  const splits = useRowGroups(people)
  const boardHref = useBoardHref(props)
  const isShown = (name: ItemFigure) => figure === name || figure === 'all'
  return (
    <div class="stack">
      {isShown('scarf') && (
        <ScarfFigure
          {...props}
          splits={splits}
          fileName={slug(item.filename)}
          loaded={fixations}
          below={
            <>
              {fixations.data !== null && (
                <ScarfOrderChoice
                  {...{ scarf, aois, splits, boardHref }}
                  tests={fixations.data.tests}
                  onChange={(next) => setQuery(scarfQuery(next))}
                />
              )}
              {aois.length > 0 ? (
                <AoiColors {...{ study, aois, chosen, paint, onLight }} />
              ) : (
                <p class="hint">This item has no areas of interest, so all fixations are pale grey.</p>
              )}
            </>
          }
        />
      )}
      {isShown('aois') && aois.length > 0 && (
        <AoiFigure {...{ subject, aois, paint }} itemName={item.filename} loaded={bars} />
      )}
      {isShown('time') && <GazeFigure {...props} />}
    </div>
  )
}

/** Returns the address of a report with the scarf plot on its board; null for visitors with a link. */
function useBoardHref({ study, item, participantId, scarf }: Props): string | null {
  const linkTo = useStudyLink(study.id)
  const kept = useAnalysis()?.current?.analysis.report ?? ''
  const contents = withEntry(kept, { part: 'scarf', itemId: item.id, who: participantId ?? '', scarf })
  return useIsView() || contents === null ? null : linkTo('/report', contents)
}

function GazeFigure(
  props: Pick<Props, 'item' | 'aois' | 'paint' | 'subject' | 'fixations' | 'gaze' | 'untilMs' | 'isOne'>,
) {
  const { item, aois, paint, subject, fixations, gaze, untilMs, isOne } = props
  const { data } = gaze
  // Only the events of one participant are drawn.
  const marked = isOne ? fixations.data : null
  const events = useMemo(() => eventsOf(marked), [marked])
  return (
    <Figure
      title="Gaze over time"
      explains={[{ of: 'gaze point', name: 'Gaze point' }]}
      subject={subject}
      fileName={`gazette-gaze-${slug(item.filename)}`}
      caption={data === null ? NO_CAPTION : gazeCaption(subject, data, isOne, marked)}
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

function gazeCaption(subject: string, data: GazeData, isOne: boolean, marked: FixationsData | null): Caption {
  const { pointCount, pointsEvery, binMs } = data
  const spread = isOne
    ? ''
    : ` Line: mean of the participants' own means in a bin; band: ± 1 sample standard deviation of these means over participants (n − 1), none for one participant; below the axis, the number of participants in the bin. Shares in AOIs are of all gaze points; AOIs may overlap, so they may add up to more than 100 %.`
  const events = marked === null ? '' : ` ${eventWords(marked, 'A dashed line')}`
  const thinned = pointsEvery > 1 ? ` One in ${pointsEvery} points is drawn.` : ''
  return {
    short: `Position of ${countOf(pointCount, 'gaze point')} over time, in bins of ${binMs} ms, ${ofWhom(data)}`,
    reading:
      `${wholeText(pointCount)} recorded gaze points after denoising, without interpolated ones, in bins of ${binMs} ms.${spread}${thinned}${events}`.trim(),
    sources: [sourceOf(subject, data)],
  }
}
