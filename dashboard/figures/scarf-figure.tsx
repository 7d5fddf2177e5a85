import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { compareNames } from '../../isomorphic/natural-order.ts'
import { useAnalysis } from '../core/analysis/analysis-seen.ts'
import type { Aoi, FixationsData } from '../core/api.ts'
import type { AoiPaint } from '../core/colors/aoi-colors.ts'
import { isolate } from '../core/number-texts.ts'
import { whoOf } from '../core/people/people.ts'
import type { Loaded } from '../core/use-data.ts'
import { IgnoreButton } from '../ui/analysis/analysis-strip.tsx'
import { Choice, type Option } from '../ui/controls/choice.tsx'
import { Empty } from '../ui/waiting/states.tsx'
import { legendOf } from './aoi-legend.tsx'
import { hiddenAois, hiddenWords, ranksOf, useAoiOrder } from './aoi-order.tsx'
import { NO_CAPTION, scarfCaption } from './captions.ts'
import { Figure } from './figure.tsx'
import { fixationNumbers, SCARF_WORDS, Scarf } from './scarf.tsx'

type ScarfFigureProps = {
  title?: string
  subject: string
  /** Name of the saved file, without its prefix. */
  fileName: string
  aois: Aoi[]
  chosen: number[]
  paint: AoiPaint
  names: Map<string, string>
  loaded: Loaded<FixationsData>
  untilMs: number
  below?: ComponentChildren
}

/** Draws the fixations of tests over time. Users who may change the analysis can ignore the participant of a row. */
export function ScarfFigure(props: ScarfFigureProps) {
  const { title = 'Scarf plot', subject, fileName, aois, chosen, paint, names, loaded, untilMs, below } = props
  const data = useMemo(
    () => loaded.data && { ...loaded.data, tests: byName(loaded.data.tests, names) },
    [loaded.data, names],
  )
  const order = useAoiOrder()
  const ranks = useMemo(() => ranksOf(aois, data, order), [aois, data, order])
  const hidden = useMemo(() => (data === null ? [] : hiddenAois(data, chosen, ranks)), [data, chosen.join(), ranks])
  const [participantId, setParticipantId] = useState('')
  return (
    <Figure
      title={title}
      explains={SCARF_WORDS}
      subject={subject}
      legend={legendOf(aois, paint.colors)}
      fileName={`gazette-scarf-${fileName}`}
      caption={data === null ? NO_CAPTION : scarfCaption(subject, data, aois.length > 0, hiddenWords(hidden, aois))}
      loaded={loaded}
      scrolls={(data?.tests.length ?? 0) > 30}
      numbers={() => fixationNumbers({ fixations: loaded.data!, aois, names })}
      empty={data !== null && data.fixationCount === 0 ? NO_FIXATIONS : null}
      draw={
        data &&
        ((colors, width) => (
          <Scarf
            data={{ fixations: data, aois, chosen, paint, names, untilMs, ranks }}
            {...{ width, colors }}
            onRow={setParticipantId}
          />
        ))
      }
      madeOf={[data, aois, paint, names, untilMs, ranks]}
      below={
        <>
          {data !== null && <RowChoice {...{ data, names, participantId }} onChoose={setParticipantId} />}
          {below}
        </>
      }
    />
  )
}

type Tests = FixationsData['tests']

/** Returns tests in the natural order of their participants' names; as given until all names are known. */
function byName(tests: Tests, names: Map<string, string>): Tests {
  if (tests.some(({ participantId }) => !names.has(participantId))) return tests
  const nameOf = ({ participantId }: Tests[number]) => names.get(participantId)!
  return tests.toSorted((one, other) => compareNames(nameOf(one), nameOf(other)))
}

const NO_FIXATIONS = (
  <Empty title="No fixations with these settings">
    <p>Gaze was recorded, but contains no fixation. Try a higher velocity threshold or a shorter minimum duration.</p>
  </Empty>
)

type RowChoiceProps = {
  data: FixationsData
  names: Map<string, string>
  participantId: string
  onChoose: (participantId: string) => void
}

/** Selects a row by name, as a click on it does, and ignores its participant. */
function RowChoice({ data, names, participantId, onChoose }: RowChoiceProps) {
  const mayChange = useAnalysis()?.mayChange === true
  const options = useMemo((): Option[] => {
    const ids = new Set(data.tests.map((test) => test.participantId))
    return [['', 'choose a row, or press it'], ...[...ids].map((id): Option => [id, isolate(whoOf({ names }, id))])]
  }, [data, names])
  if (!mayChange) return null
  return (
    <div class="row no-print">
      <Choice isInline label="Row" value={participantId} of={options} onChange={onChoose} />
      {participantId !== '' && <IgnoreButton participantId={participantId} name={whoOf({ names }, participantId)} />}
    </div>
  )
}
