import { useTheme } from '../../core/colors/theme.ts'
import { slug } from '../../core/number-texts.ts'
import { figureSubject, NO_CAPTION } from '../../figures/captions.ts'
import { ColorKey } from '../../figures/color-key.tsx'
import { Figure } from '../../figures/figure.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { groupColors } from '../groups/group-list.ts'
import {
  groupLegend,
  isEmpty,
  type MicrosaccadeFigureProps,
  microsaccadeCaption,
  ofMany,
} from './microsaccade-caption.ts'
import { Rates, rateNumbers } from './rates.tsx'

/** Draws the rate of microsaccades over time. */
export function RateFigure({ item, groups, loaded }: MicrosaccadeFigureProps) {
  const { colors } = useTheme()
  const { data } = loaded
  const isThere = data !== null && data.groups.length === groups.length
  return (
    <Figure
      title="Rate of microsaccades"
      explains={[{ of: 'microsaccade', name: 'Microsaccade' }]}
      subject={figureSubject(item, groups.map(({ name }) => name).join(' and '))}
      fileName={`gazette-microsaccade-rate-${slug(item.filename)}`}
      caption={
        isThere
          ? microsaccadeCaption(
              { item, groups, data },
              `Binocular microsaccades of at most ${data.maxDeg}°, per second, in bins of ${data.binMs} ms`,
              ofMany,
              'A bin has the microsaccades that begin in it. Intervals are drawn from 0 on. n counts the participants with gaze of both eyes in the bin (docs/microsaccades.md, Rate over time).',
            )
          : NO_CAPTION
      }
      loaded={loaded}
      narrowest={300}
      numbers={() => rateNumbers(data!, groups)}
      empty={isEmpty(data) ? NO_GAZE : null}
      legend={groupLegend(groups)}
      draw={isThere ? (own, width) => <Rates {...{ data, groups, width }} colors={own} /> : null}
      below={
        groups.length > 1 && (
          <ColorKey label="Groups" of={groups.map(({ name }, g) => ({ label: name, color: groupColors(colors)[g] }))} />
        )
      }
    />
  )
}

const NO_GAZE = (
  <Empty title="No test has microsaccades to find">
    <p>
      None of the kept tests has, in this time window, gaze of both eyes at 200 Hz or more on a screen of known size and
      distance.
    </p>
  </Empty>
)
