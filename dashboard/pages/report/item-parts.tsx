import type { Aoi, FixationsData, Item, TransitionsData } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { slug } from '../../core/number-texts.ts'
import type { Loaded } from '../../core/use-data.ts'
import { subjectOf } from '../../figures/captions.ts'
import { spanOf } from '../../figures/item-answers.ts'
import { ScarfFigure } from '../../figures/scarf-figure.tsx'
import type { Picture } from '../../figures/stimulus.tsx'
import { FirstLookFigure, MatrixFigure } from '../transitions/transition-charts.tsx'

type Props = { item: Item; aois: Aoi[]; chosen: number[]; paint: AoiPaint }

type ScarfProps = Props & { names: Map<string, string>; loaded: Loaded<FixationsData> }

/** Draws the scarf plot of an item in a report. */
export function ReportScarf({ item, loaded, ...props }: ScarfProps) {
  return (
    <ScarfFigure
      {...{ ...props, loaded }}
      title={`Scarf plot of ${item.filename || 'the item'}`}
      subject={subjectOf(item, 'all participants')}
      fileName={slug(item.filename)}
      untilMs={spanOf(item, loaded.data)}
    />
  )
}

type TransitionProps = Props & { loaded: Loaded<TransitionsData>; picture: Picture }

/** Draws the transition matrix of an item in a report. */
export function ReportTransitions({ paint, ...props }: TransitionProps) {
  const subject = subjectOf(props.item, 'all participants')
  return <MatrixFigure {...props} {...{ subject }} colors={paint.colors} />
}

/** Draws the survival curves of an item in a report: the share that has not looked yet. */
export function ReportSurvival({ paint, ...props }: TransitionProps) {
  const subject = subjectOf(props.item, 'all participants')
  return <FirstLookFigure {...props} {...{ subject }} colors={paint.colors} on={props.item.filename} />
}
