import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useAnalysis } from '../core/analysis/analysis-seen.ts'
import type { FixationsData } from '../core/api.ts'
import { isolate } from '../core/number-texts.ts'
import { whoOf } from '../core/people/people.ts'
import type { Loaded } from '../core/use-data.ts'
import { type ScarfView, USUAL_SCARF } from '../core/view/scarf-view.ts'
import { IgnoreButton } from '../ui/analysis/analysis-strip.tsx'
import { Choice, type ChoiceOption } from '../ui/controls/choice.tsx'
import { Empty } from '../ui/waiting/states.tsx'
import { legendOf } from './aoi-legend.tsx'
import { hiddenAois, hiddenWords, ranksOf, useAoiOrder } from './aoi-order.tsx'
import { NO_CAPTION, scarfCaption } from './captions.ts'
import { Figure } from './figure.tsx'
import { fixationNumbers } from './fixation-numbers.ts'
import { SCARF_WORDS, Scarf, type ScarfData } from './scarf.tsx'
import type { RowGroups } from './scarf-order.ts'
import { drawableScarf, fromZero, scarfOrderWords, scarfRange, scarfRows, zeroWords } from './scarf-order.ts'

type ScarfFigureProps = Pick<ScarfData, 'aois' | 'chosen' | 'paint' | 'names' | 'untilMs'> & {
  title?: string
  subject: string
  /** Name of the saved file, without its prefix. */
  fileName: string
  loaded: Loaded<FixationsData>
  /** Order and alignment of the rows; by name from item onset by default. */
  scarf?: ScarfView
  /** Attributes that make groups of participants; null until they are known. */
  splits?: RowGroups[] | null
  below?: ComponentChildren
}

/** Draws the fixations of tests over time. Users who may change the analysis can ignore the participant of a row. */
export function ScarfFigure(props: ScarfFigureProps) {
  const { title = 'Scarf plot', subject, fileName, aois, chosen, paint, names, loaded, below } = props
  const { scarf = USUAL_SCARF, splits = NO_SPLITS } = props
  const { data, shown, words } = useRows(loaded.data, { scarf, splits, names, aois, untilMs: props.untilMs })
  const order = useAoiOrder()
  const ranks = useMemo(() => ranksOf(aois, data, order), [aois, data, order])
  const hidden = useMemo(() => (data === null ? [] : hiddenAois(data, chosen, ranks)), [data, chosen.join(), ranks])
  const [participantId, setParticipantId] = useState('')
  return (
    <Figure
      {...{ title, subject, loaded }}
      explains={SCARF_WORDS}
      legend={legendOf(aois, paint.colors)}
      fileName={`gazette-scarf-${fileName}`}
      caption={
        data === null
          ? NO_CAPTION
          : scarfCaption(subject, data, aois.length > 0, `${hiddenWords(hidden, aois)}${words}`)
      }
      paperMm={data === null ? null : paperMmOf(data.tests.length)}
      scrolls={(data?.tests.length ?? 0) > 30}
      numbers={() => fixationNumbers({ fixations: data!, aois, names })}
      empty={data !== null && data.fixationCount === 0 ? NO_FIXATIONS : null}
      draw={
        data &&
        ((colors, width) => (
          <Scarf
            data={{ ...shown, fixations: shown.fixations!, aois, chosen, paint, names, ranks }}
            {...{ width, colors }}
            onRow={setParticipantId}
          />
        ))
      }
      madeOf={[shown, aois, paint, names, ranks]}
      below={
        <>
          {data !== null && <RowChoice {...{ data, names, participantId }} onChoose={setParticipantId} />}
          {below}
        </>
      }
    />
  )
}

/** Returns the height of a scarf plot on paper, in mm: with letters of 5 points, but at most that of a page. */
function paperMmOf(rows: number): number {
  return Math.min(180, Math.round(15 + 3.2 * rows))
}

const NO_SPLITS: RowGroups[] = []

type Arranged = Pick<ScarfFigureProps, 'names' | 'aois' | 'untilMs'> & { scarf: ScarfView; splits: RowGroups[] | null }

/**
 * Returns the answer with its tests in the order of rows, and the same as drawn, with times from the 0 s of each row.
 */
function useRows(answered: FixationsData | null, { scarf: wanted, splits, names, aois, untilMs }: Arranged) {
  const key = JSON.stringify(wanted)
  return useMemo(() => {
    const tests = answered?.tests ?? []
    const { view: scarf, lack } = drawableScarf(wanted, tests, aois.length)
    const { order } = scarf
    const groups = typeof order === 'object' ? groupsOf(order.group, splits) : null
    const rows = scarfRows(tests, scarf, names, groups)
    const zero = zeroWords(scarf, aois)
    const fixations = answered && { ...answered, tests: rows.map(fromZero) }
    return {
      data: answered && { ...answered, tests: rows.map(({ test }) => test) },
      shown: { fixations, zero, ...scarfRange(rows, untilMs) },
      words: `${lack}${scarfOrderWords(scarf, rows, aois, groups, lack !== '')}`,
    }
  }, [answered, key, splits, names, aois, untilMs])
}

function groupsOf(wanted: string, splits: RowGroups[] | null): RowGroups | null | undefined {
  return splits === null ? undefined : (splits.find(({ label }) => label === wanted) ?? null)
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
  const options = useMemo((): ChoiceOption[] => {
    const ids = new Set(data.tests.map((test) => test.participantId))
    return [
      ['', 'choose a row, or press it'],
      ...[...ids].map((id): ChoiceOption => [id, isolate(whoOf({ names }, id))]),
    ]
  }, [data, names])
  if (!mayChange) return null
  return (
    <div class="row no-print">
      <Choice isInline label="Row" value={participantId} of={options} onChange={onChoose} />
      {participantId !== '' && <IgnoreButton participantId={participantId} name={whoOf({ names }, participantId)} />}
    </div>
  )
}
