import { useMemo } from 'preact/hooks'
import type { Aoi, FixationsData, Item, Loaded, TransitionsData } from '../../core/api.ts'
import type { AoiPaint } from '../../core/colors/aoi-colors.ts'
import { slug } from '../../core/number-texts.ts'
import { legendOf } from '../../figures/aoi-legend.tsx'
import { type AoiOrder, hiddenAois, hiddenWords, ranksOf } from '../../figures/aoi-order.tsx'
import { NO_CAPTION, scarfCaption, subjectOf } from '../../figures/captions.ts'
import { Figure } from '../../figures/figure.tsx'
import { spanOf } from '../../figures/item-answers.ts'
import { fixationNumbers, SCARF_WORDS, Scarf } from '../../figures/scarf.tsx'
import type { Picture } from '../../figures/stimulus.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { FirstLookFigure, TransitionFigures } from '../transitions/transition-charts.tsx'

type Props = { item: Item; aois: Aoi[]; chosen: number[]; paint: AoiPaint }

type ScarfProps = Props & { names: Map<string, string>; order: AoiOrder; loaded: Loaded<FixationsData> }

/** Draws the scarf plot of an item in a report. */
export function ReportScarf({ item, aois, chosen, paint, names, order, loaded }: ScarfProps) {
  const { data } = loaded
  const ranks = useMemo(() => ranksOf(aois, data, order), [aois, data, order])
  const subject = subjectOf(item, 'all participants')
  const hidden = data === null ? [] : hiddenAois(data, chosen, ranks)
  return (
    <Figure
      title={`Scarf plot of ${item.filename || 'the item'}`}
      subject={subject}
      explains={SCARF_WORDS}
      fileName={`gazette-scarf-${slug(item.filename)}`}
      legend={legendOf(aois, paint.colors)}
      caption={data === null ? NO_CAPTION : scarfCaption(subject, data, aois.length > 0, hiddenWords(hidden, aois))}
      loaded={loaded}
      numbers={() => fixationNumbers({ fixations: data!, aois, names })}
      empty={data !== null && data.fixationCount === 0 ? <Empty title="No fixations with these settings" /> : null}
      draw={
        data &&
        ((colors, width) => (
          <Scarf
            data={{ fixations: data, aois, chosen, paint, names, untilMs: spanOf(item, data), ranks }}
            {...{ width, colors }}
          />
        ))
      }
    />
  )
}

type TransitionProps = Props & { loaded: Loaded<TransitionsData>; picture: Picture }

/** Draws the transition matrix of an item in a report. */
export function ReportTransitions({ paint, ...props }: TransitionProps) {
  const subject = subjectOf(props.item, 'all participants')
  return <TransitionFigures {...props} {...{ subject }} colors={paint.colors} isMatrixOnly />
}

/** Draws the survival curves of an item in a report: who has not yet looked. */
export function ReportSurvival({ paint, ...props }: TransitionProps) {
  const subject = subjectOf(props.item, 'all participants')
  return <FirstLookFigure {...props} {...{ subject }} colors={paint.colors} on={props.item.filename} />
}
