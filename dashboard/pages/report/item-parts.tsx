import type { Aoi, FixationsData, Item, TransitionsData } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { isolate, slug } from '../../core/number-texts.ts'
import type { Loaded } from '../../core/use-data.ts'
import type { ScarfView } from '../../core/view/scarf-view.ts'
import { AoiKey } from '../../figures/aoi-legend.tsx'
import { figureSubject } from '../../figures/captions.ts'
import { spanOf } from '../../figures/item-answers.ts'
import { ScarfFigure } from '../../figures/scarf-figure.tsx'
import type { RowGroups } from '../../figures/scarf-order.ts'
import { ScarfOrderChoice } from '../../figures/scarf-order-choice.tsx'
import type { Picture } from '../../figures/stimulus.tsx'
import { TextFigure, type TextFigureProps } from '../reading/text-figure.tsx'
import { FirstLookFigure, MatrixFigure, VisitFigure } from '../transitions/transition-charts.tsx'

type Props = { item: Item; aois: Aoi[]; chosen: number[]; paint: AoiPaint; who: Who; mark: string }

type ScarfProps = Props & ScarfRows & { names: Map<string, string>; loaded: Loaded<FixationsData> }

/** Arrangement of a scarf plot's rows, and what changes it. */
export type ScarfRows = {
  scarf: ScarfView
  /** Attributes that make groups; null until they are known. */
  splits: RowGroups[] | null
  onScarf: (scarf: ScarfView) => void
}

/** People of a figure: all, a group, or one participant. */
export type Who = { name: string; participantId: string | null }
export const ALL: Who = { name: 'all participants', participantId: null }

/** Returns the title of a figure: of the item and, unless it is of all, of whom. */
export function figureTitle(what: string, item: Item, who: Who): string {
  return `${what} of ${isolate(item.filename) || 'the item'}${who === ALL ? '' : `, ${isolate(who.name)}`}`
}

/** Draws the scarf plot of an item in a report. */
export function ReportScarf({ item, who, loaded, onScarf, ...props }: ScarfProps) {
  const { scarf, splits, aois } = props
  return (
    <ScarfFigure
      {...{ ...props, loaded }}
      title={figureTitle('Scarf plot', item, who)}
      subject={figureSubject(item, who.name)}
      fileName={slug(item.filename)}
      untilMs={spanOf(item, loaded.data)}
      below={
        <>
          <AoiKey aois={aois} colors={props.paint.colors} />
          {loaded.data && (
            <ScarfOrderChoice {...{ scarf, splits, aois }} tests={loaded.data.tests} onChange={onScarf} />
          )}
        </>
      }
    />
  )
}

type TransitionProps = Props & { loaded: Loaded<TransitionsData>; picture: Picture }

/** Draws the transition matrix of an item in a report. */
export function ReportTransitions(props: TransitionProps) {
  return <MatrixFigure {...namedOf('Transitions', props)} />
}

/** Draws the survival curves of an item in a report: the share that has not looked yet. */
export function ReportSurvival(props: TransitionProps) {
  return <FirstLookFigure {...namedOf('Time to first fixation', props)} />
}

/** Draws the share of tests in a visit of each AOI of an item over time. */
export function ReportVisits(props: TransitionProps) {
  return <VisitFigure {...namedOf('Visits over time', props)} />
}

/** Returns the properties of a figure of transitions, with a title and a table that name the item. */
function namedOf(what: string, { paint, who, mark, ...props }: TransitionProps) {
  const { item } = props
  const named = { title: figureTitle(what, item, who), on: `${isolate(item.filename)}${mark}` }
  return { ...props, ...named, subject: figureSubject(item, who.name), colors: paint.colors }
}

type WordsProps = Omit<TextFigureProps, 'title' | 'subject'> & { who: Who }

/** Draws the words of a text in a report, in the colours of a reading measure. */
export function ReportWords({ who, ...props }: WordsProps) {
  const { item } = props
  return <TextFigure {...props} title={figureTitle('Words', item, who)} subject={figureSubject(item, who.name)} />
}
