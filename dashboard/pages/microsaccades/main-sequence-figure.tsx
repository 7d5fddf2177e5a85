import type { MicrosaccadesData } from '../../core/api.ts'
import { result, slug } from '../../core/number-texts.ts'
import { figureSubject, NO_CAPTION } from '../../figures/captions.ts'
import { Figure } from '../../figures/figure.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { groupLegend, type MicrosaccadeFigureProps, microsaccadeCaption, ofMany } from './microsaccade-caption.ts'
import { MainSequencePlot, sequenceNumbers } from './rates.tsx'

/** Draws the main sequence: amplitude and peak velocity of each microsaccade. */
export function MainSequenceFigure({ item, groups, loaded }: MicrosaccadeFigureProps) {
  const { data } = loaded
  const isThere = data !== null && data.groups.length === groups.length
  const hasNone = data?.groups.every(({ microsaccades }) => microsaccades === 0) ?? false
  return (
    <Figure
      title="Main sequence"
      explains={[{ of: 'main sequence', name: 'Main sequence' }]}
      subject={figureSubject(item, groups.map(({ name }) => name).join(' and '))}
      fileName={`gazette-main-sequence-${slug(item.filename)}`}
      caption={
        isThere
          ? microsaccadeCaption(
              { item, groups, data },
              `Amplitude and peak velocity, a dot for each binocular microsaccade of at most ${data.maxDeg}°`,
              (group) => `${ofMany(group)}${lineText(group)}${everyText(group)}`,
              'The amplitude is that of the mean of both eyes, the velocity the mean of the peaks of both, as in the export. The slope is that of the logarithms, by least squares (docs/microsaccades.md, Main sequence).',
            )
          : NO_CAPTION
      }
      loaded={loaded}
      narrowest={300}
      numbers={() => sequenceNumbers(data!, groups)}
      empty={hasNone ? NO_SACCADES : null}
      legend={groupLegend(groups)}
      draw={isThere ? (own, width) => <MainSequencePlot {...{ data, groups, width }} colors={own} /> : null}
    />
  )
}

type Own = MicrosaccadesData['groups'][number]

/** Returns the slope and correlation of the main sequence; '' if they are unknown. */
function lineText({ mainSequence: { slope, r } }: Own): string {
  if (slope === null) return ''
  return `, slope ${result(slope)}${r === null ? '' : `, r = ${result(r)}`}`
}

/** Says that not all microsaccades are drawn; '' if all are. */
function everyText({ everyNth }: Own): string {
  return everyNth === 1 ? '' : `, one in ${everyNth} drawn`
}

const NO_SACCADES = (
  <Empty title="There are no microsaccades">
    <p>No binocular saccade of the kept tests is as small as that. The settings say how large it may be.</p>
  </Empty>
)
