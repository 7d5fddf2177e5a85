import { useState } from 'preact/hooks'
import type { PupilTrace, PupilTracesData } from '../../core/api.ts'
import { LIGHT, useTheme } from '../../core/colors/theme.ts'
import { countOf } from '../../core/number-texts.ts'
import { whoOf } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import type { Loaded } from '../../core/use-data.ts'
import type { Caption } from '../../figures/caption.ts'
import { NO_CAPTION } from '../../figures/captions.ts'
import { ColorKey } from '../../figures/color-key.tsx'
import { Figure } from '../../figures/figure.tsx'
import { Check, Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { cleaningOf, type PupilFacts } from './pupil-methods.ts'
import { TRACE_STEPS, Trace, type TraceStep, type TraceWindow, traceNumbers } from './trace.tsx'

type TraceFigureProps = {
  loaded: Loaded<PupilTracesData>
  names: Map<string, string>
  times: TraceWindow
  facts: PupilFacts
  subject: string
}

/** Draws the pupils of one test after each step. */
export function TraceFigure({ loaded, names, times, facts, subject }: TraceFigureProps) {
  const { query } = usePlace()
  const { colors } = useTheme()
  const { data } = loaded
  const [steps, setSteps] = useState<ReadonlySet<TraceStep>>(new Set(Object.keys(TRACE_STEPS) as TraceStep[]))
  const trace = data?.tests.find(({ testId }) => testId === query.get('test')) ?? data?.tests[0] ?? null
  const toggle = (step: TraceStep) => {
    const next = new Set(steps)
    if (!next.delete(step)) next.add(step)
    setSteps(next)
  }
  const lines = LINES.filter(({ of }) => of.some((step) => steps.has(step)))
  const nameOf = ({ participantId }: PupilTrace) => whoOf({ names }, participantId)
  return (
    <Figure
      title="Pupil of a test"
      {...{ subject, loaded }}
      caption={data === null || trace === null ? NO_CAPTION : captionOf(data, trace, nameOf(trace), steps, facts)}
      fileName="gazette-pupil-trace"
      draw={
        data === null
          ? null
          : (own, width) =>
              trace === null ? (
                <svg width={width} height={0} />
              ) : (
                <Trace {...{ trace, steps, times, width }} unit={data.unit} colors={own} />
              )
      }
      madeOf={[trace, [...steps].join(), times.pupilBaselineFromMs, times.pupilBaselineToMs]}
      numbers={() => (trace === null ? { columns: [], rows: [] } : traceNumbers(trace))}
      empty={data !== null && trace === null ? NO_PUPIL : null}
      below={
        lines.length > 0 && (
          <ColorKey label="Lines" of={lines.map(({ label, color }) => ({ label, color: colors[color] }))} />
        )
      }
      legend={lines.map(({ label, mark, color }) => ({ label, mark, color: LIGHT[color] }))}
      controls={
        <div class="row no-print">
          {data !== null && data.tests.length > 1 && (
            <Choice
              isInline
              label="Test"
              value={trace?.testId ?? ''}
              of={data.tests.map((each): ChoiceOption => [each.testId, nameOf(each)])}
              onChange={(test) => setQuery({ test })}
            />
          )}
          {(Object.keys(TRACE_STEPS) as TraceStep[]).map((step) => (
            <Check key={step} class="inline" isOn={steps.has(step)} onChange={() => toggle(step)}>
              {TRACE_STEPS[step]}
            </Check>
          ))}
        </div>
      }
    />
  )
}

const NO_PUPIL = (
  <Empty title="No pupil in these tests">
    <p>None of the kept tests has a recorded pupil size. Choose another participant or filter.</p>
  </Empty>
)

const OF_EYES: TraceStep[] = ['recorded', 'cleaned', 'interpolated']
const OF_SIZE: TraceStep[] = ['smoothed']

/** Lines of a trace, with the steps that draw them. */
const LINES = [
  { label: 'Left eye', mark: 'L', color: 'accent', of: OF_EYES },
  { label: 'Right eye', mark: 'R', color: 'second', of: OF_EYES },
  { label: 'After all steps', mark: '', color: 'ink', of: OF_SIZE },
] as const

/** Descriptions of what each step draws. */
const DRAWN: Record<TraceStep, string> = {
  recorded: 'recorded sizes as dots',
  cleaned: 'sizes of each eye after cleaning as thin lines',
  interpolated: 'sizes with interpolation as dashed lines',
  smoothed: 'the size after all steps as the thick line',
}

function captionOf(
  data: PupilTracesData,
  trace: PupilTrace,
  who: string,
  steps: ReadonlySet<TraceStep>,
  facts: PupilFacts,
): Caption {
  const drawn = (Object.keys(TRACE_STEPS) as TraceStep[]).filter((step) => steps.has(step)).map((step) => DRAWN[step])
  const blinks = trace.left.blinks.length + trace.right.blinks.length
  return {
    short: `Pupils of ${who} in one test: ${drawn.length === 0 ? '' : `${drawn.join(', ')}, of `}${countOf(trace.tMs.length, 'point')}; ${countOf(blinks, 'blink')} of single eyes as bars along the axis.`,
    reading: `The dashed level is the baseline. ${cleaningOf({ ...facts, event: null })}`,
    sources: [{ text: `${data.export} · ${who} · one test`, notes: data.notes }],
  }
}
