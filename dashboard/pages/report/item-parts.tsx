import type { Aoi, FixationsData, Item, TransitionsData } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { isolate, slug } from '../../core/number-texts.ts'
import type { Loaded } from '../../core/use-data.ts'
import { subjectOf } from '../../figures/captions.ts'
import { spanOf } from '../../figures/item-answers.ts'
import { ScarfFigure } from '../../figures/scarf-figure.tsx'
import type { Picture } from '../../figures/stimulus.tsx'
import { FirstLookFigure, MatrixFigure } from '../transitions/transition-charts.tsx'

type Props = { item: Item; aois: Aoi[]; chosen: number[]; paint: AoiPaint; who: Who; mark: string }

type ScarfProps = Props & { names: Map<string, string>; loaded: Loaded<FixationsData> }

/** People of a figure: all, a group, or one participant. */
export type Who = { name: string; participantId: string | null }
export const ALL: Who = { name: 'all participants', participantId: null }

/** Returns the title of a figure: of the item and, unless it is of all, of whom. */
export function titleOf(what: string, item: Item, who: Who): string {
  return `${what} of ${isolate(item.filename) || 'the item'}${who === ALL ? '' : `, ${isolate(who.name)}`}`
}

/** Draws the scarf plot of an item in a report. */
export function ReportScarf({ item, who, loaded, ...props }: ScarfProps) {
  return (
    <ScarfFigure
      {...{ ...props, loaded }}
      title={titleOf('Scarf plot', item, who)}
      subject={subjectOf(item, who.name)}
      fileName={slug(item.filename)}
      untilMs={spanOf(item, loaded.data)}
    />
  )
}

type TransitionProps = Props & { loaded: Loaded<TransitionsData>; picture: Picture }

/** Draws the transition matrix of an item in a report. */
export function ReportTransitions({ paint, who, ...props }: TransitionProps) {
  const subject = subjectOf(props.item, who.name)
  return (
    <MatrixFigure {...{ ...props, subject }} title={titleOf('Transitions', props.item, who)} colors={paint.colors} />
  )
}

/** Draws the survival curves of an item in a report: the share that has not looked yet. */
export function ReportSurvival({ paint, who, mark, ...props }: TransitionProps) {
  const subject = subjectOf(props.item, who.name)
  return (
    <FirstLookFigure
      {...{ ...props, subject }}
      title={titleOf('Time to first fixation', props.item, who)}
      colors={paint.colors}
      on={`${isolate(props.item.filename)}${mark}`}
    />
  )
}
