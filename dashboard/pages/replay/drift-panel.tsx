import './drift.css'
import { useState } from 'preact/hooks'
import type { OffsetSource } from '../../../isomorphic/gaze-offsets.ts'
import { type AnalysisSeen, useAnalysis } from '../../core/analysis/analysis-seen.ts'
import { FIRST_ANALYSIS } from '../../core/analysis/decided.ts'
import {
  appliedIn,
  type Moved,
  ownOffset,
  shiftPercent,
  withOffset,
  withoutOffset,
} from '../../core/analysis/offsets.ts'
import type { OffsetsData, StudyAnalysis } from '../../core/api.ts'
import { countOf, decimal } from '../../core/number-texts.ts'
import { quoted } from '../../core/people/conditions.ts'
import { useChange } from '../../core/use-change.ts'
import { useData } from '../../core/use-data.ts'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Field } from '../../ui/controls/field.tsx'
import { Await } from '../../ui/waiting/states.tsx'
import { DriftPicture } from './drift-picture.tsx'
import type { PlayedTest } from './moment.ts'

type DriftPanelProps = {
  studyId: string
  itemId: string
  participantId: string
  name: string
  /** Tests of the participant on the item. */
  tests: PlayedTest[]
  /** The eye whose gaze the page shows. */
  eye: string
  href: string | null
  aspect: number
}

const ALL_TESTS = ''

/** Corrects drift: shifts the gaze of a participant or of a test by an offset, which the analysis stores. */
export function DriftPanel(props: DriftPanelProps) {
  const seen = useAnalysis()
  return seen === null || !seen.mayChange || props.tests.length === 0 ? null : <Drift {...props} seen={seen} />
}

type DriftProps = DriftPanelProps & { seen: AnalysisSeen }

function Drift({ studyId, itemId, participantId, name, tests, eye, href, aspect, seen }: DriftProps) {
  const drift = useDrift(seen, participantId)
  const { analysisName, testId, draft, setDraft, own, now } = drift
  const paths = pathsOf(tests, drift)
  const [first] = paths
  return (
    <section class="card panel drift" aria-labelledby="drift">
      <h2 id="drift">Drift</h2>
      <p class="hint">
        If the gaze of <bdi>{name}</bdi> is off by a constant, drag it to where they looked, or type an offset in pixels
        of the window. The analysis “{analysisName}” stores the offset; the recorded data do not change.
      </p>
      {first === undefined ? (
        <p class="hint">No test here gives the position of the item in the window.</p>
      ) : (
        <DriftPicture
          {...{ paths, href, aspect }}
          onDrag={(x, y) => {
            const { widthPx, heightPx } = first.display
            drift.move(rounded(now.dxPx + x * widthPx), rounded(now.dyPx + y * heightPx))
          }}
        />
      )}
      <div class="row">
        <Choice
          label="For"
          of={[
            [ALL_TESTS, `all tests of ${name}, on every item`],
            ...tests.map(({ recorded }, i): ChoiceOption => [recorded.testId, `only test ${i + 1} of this item`]),
          ]}
          value={testId}
          onChange={drift.choose}
        />
        <OffsetField label="To the right, px" value={now.dxPx} onValue={(dxPx) => drift.move(dxPx, now.dyPx)} />
        <OffsetField label="Down, px" value={now.dyPx} onValue={(dyPx) => drift.move(now.dxPx, dyPx)} />
      </div>
      <Suggestions
        path={`/api2/studies/${studyId}/analysis/offsets`}
        {...{ itemId, participantId, testId, eye }}
        onChoose={setDraft}
      />
      <Actions problem={drift.problem}>
        <Button class="primary" disabled={drift.isBusy || draft === null} onClick={drift.save}>
          Save the offset
        </Button>
        {draft !== null && <Button onClick={() => setDraft(null)}>Discard</Button>}
        {own !== null && (
          <Button disabled={drift.isBusy} onClick={drift.remove}>
            Remove the offset
          </Button>
        )}
      </Actions>
    </section>
  )
}

const rounded = (px: number) => Math.round(px * 10) / 10

type Drafted = Moved & { source: OffsetSource }

/** Keeps the drafted offset of a participant or of a test, and stores it in the analysis in use. */
function useDrift(seen: AnalysisSeen, participantId: string) {
  const [testId, setTestId] = useState(ALL_TESTS)
  const [draft, setDraft] = useState<Drafted | null>(null)
  const { problem, isBusy, act } = useChange()
  const analysisName = seen.current?.name ?? FIRST_ANALYSIS
  const analysis = seen.current?.analysis ?? seen.all.find((each) => each.name === analysisName)?.analysis ?? {}
  const applied = seen.current?.analysis ?? {}
  const subject = { participantId, ...(testId === ALL_TESTS ? {} : { testId }) }
  const own = ownOffset(analysis, subject)
  const now: Drafted = draft ?? own ?? { dxPx: 0, dyPx: 0, source: 'hand' }
  const store = (next: StudyAnalysis) => act(() => seen.store(analysisName, next))
  return {
    ...{ analysisName, analysis, applied, participantId, testId, draft, own, now, setDraft, problem, isBusy },
    move: (dxPx: number, dyPx: number) => setDraft({ dxPx, dyPx, source: 'hand' }),
    choose: (id: string) => {
      setTestId(id)
      setDraft(null)
    },
    save: () => store(withOffset(analysis, { ...subject, ...now })),
    remove: () => store(withoutOffset(analysis, subject)),
  }
}

type Drifting = Pick<ReturnType<typeof useDrift>, 'analysis' | 'applied' | 'participantId' | 'testId' | 'draft' | 'own'>

/**
 * Returns the fixations of the chosen tests, with the shift from their current to their new positions. The server has
 * applied the offsets of the analysis in use, `applied`; `analysis` is the one that is edited.
 */
function pathsOf(tests: PlayedTest[], { analysis, applied, participantId, testId: only, draft, own }: Drifting) {
  const find = appliedIn(applied)
  return tests.flatMap(({ recorded: { testId, display }, fixations }) => {
    if (display === null || (only !== ALL_TESTS && testId !== only)) return []
    const of = find({ participantId, testId })
    const hasItsOwn = only === ALL_TESTS && ownOffset(analysis, { participantId, testId }) !== null
    return [{ display, fixations, shift: shiftPercent(of, hasItsOwn ? of : (draft ?? own ?? of), display) }]
  })
}

function OffsetField({ label, value, onValue }: { label: string; value: number; onValue: (px: number) => void }) {
  const change = (text: string) => {
    const px = Number(text)
    if (text.trim() !== '' && Number.isFinite(px)) onValue(px)
  }
  return (
    <Field label={label}>
      <input type="number" step="any" value={value} onChange={(event) => change(event.currentTarget.value)} />
    </Field>
  )
}

type SuggestionsProps = {
  path: string
  itemId: string
  participantId: string
  testId: string
  eye: string
  onChoose: (offset: Drafted) => void
}

/** Suggests offsets on request, since it reads all samples of the participant. */
function Suggestions({ path, itemId, participantId, testId, eye, onChoose }: SuggestionsProps) {
  const [isAsked, setIsAsked] = useState(false)
  if (!isAsked)
    return (
      <p class="row">
        <Button onClick={() => setIsAsked(true)}>Suggest an offset from clicks and validations</Button>
      </p>
    )
  const query = new URLSearchParams({
    filter: `participant_id = ${quoted(participantId)}`,
    ...(testId ? { itemId } : {}),
  })
  if (eye !== 'recorded') query.set('eye', eye)
  return <Suggested path={`${path}?${query}`} {...{ participantId, testId, onChoose }} />
}

function Suggested({ path, participantId, testId, onChoose }: Omit<SuggestionsProps, 'itemId' | 'eye'>) {
  const loaded = useData<OffsetsData>(path)
  return (
    <Await loaded={loaded} what="suggestions">
      {({ participants, tests, clicksMin, targetsMin }) => {
        const person = participants.find((each) => each.participantId === participantId)
        const clicks = testId === ALL_TESTS ? person?.clicks : tests.find((each) => each.testId === testId)?.clicks
        return (
          <ul class="bulleted">
            <Suggestion source="clicks" what="click" least={clicksMin} of={clicks} onChoose={onChoose} />
            <Suggestion
              source="validations"
              what="target"
              least={targetsMin}
              of={person?.validations}
              onChoose={onChoose}
            />
          </ul>
        )
      }}
    </Await>
  )
}

type SuggestionProps = {
  source: 'clicks' | 'validations'
  what: string
  least: number
  of: OffsetsData['participants'][number]['clicks'] | undefined
  onChoose: SuggestionsProps['onChoose']
}

function Suggestion({ source, what, least, of, onChoose }: SuggestionProps) {
  const count = of?.count ?? 0
  if (of === undefined || of.dxPx === null || of.dyPx === null)
    return (
      <li>
        {countOf(count, what)} with gaze: too few for a suggestion, which needs {least}.
      </li>
    )
  const { dxPx, dyPx, distancePx, leftPx } = of
  return (
    <li>
      {countOf(count, what)}: {decimal(dxPx)} px to the right, {decimal(dyPx)} px down. The median distance of gaze
      becomes {decimal(leftPx ?? 0)} px instead of {decimal(distancePx ?? 0)} px.{' '}
      <Button class="small" onClick={() => onChoose({ dxPx, dyPx, source })}>
        Try it
      </Button>
    </li>
  )
}
