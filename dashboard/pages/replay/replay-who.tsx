import type { RecordingsData } from '../../core/api.ts'
import { countOf, isolate, wholeText } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { isNotInStudy } from '../../core/people/people.ts'
import { setQuery } from '../../core/router.ts'
import { useHasLists } from '../../core/view/places.ts'
import { ColorKey } from '../../figures/color-key.tsx'
import { KeptLine } from '../../figures/settings/item-side.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { TestFilter } from '../../figures/settings/test-filter.tsx'
import { IgnoreButton } from '../../ui/analysis/analysis-strip.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Check, Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { ParticipantChoice } from '../../ui/people/participant-choice.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'
import type { PlayedTest } from './moment.ts'
import { type OfLink, type Replay, TEST_COLORS, tintKey } from './use-replay.ts'

/** Draws the choice of the tests that play. */
export function ReplayWho(props: OfLink & { replay: Replay; itemIndex: number }) {
  const { people, participantId, link, replay, itemIndex } = props
  const hasLists = useHasLists()
  const { settings, change } = link
  const { recording, all, hidden, setHidden } = replay
  return (
    <Panel title={hasLists ? 'Tests' : 'Participants'} class="who-panel">
      {!hasLists && <ParticipantChoice all={people.all} itemIndex={itemIndex} />}
      {participantId !== null && !isNotInStudy(people, participantId) && (
        <IgnoreButton participantId={participantId} name={people.names.get(participantId)} />
      )}
      {people.problem !== null && <Trouble problem={people.problem} retry={people.retry} />}
      <GradeFilter settings={settings} onChange={change} />
      <TestFilter people={people} settings={settings} onChange={change} problem={recording.problem} />
      {recording.data !== null && <KeptLine counts={recording.data} />}
      <TintChoice replay={replay} />
      <PlayedList all={all} hidden={hidden} onHide={setHidden} />
    </Panel>
  )
}

/** Says that only the first tests play, and why, if that is so. */
export function OnlyTheFirst({ data: { tests, kept, limit } }: { data: RecordingsData }) {
  if (limit === null) return null
  const why =
    limit.of === 'tests'
      ? `more than ${wholeText(limit.most)} would not play smoothly`
      : `together, more would have over ${wholeText(limit.most)} samples, too many to load`
  return (
    <p class="notice">
      The first {wholeText(tests.length)} of {countOf(kept.tests, 'test')} are played: {why}. Use a filter to choose
      others.
    </p>
  )
}

/** Draws the choice of colours of gaze: one for each test, or for each group of an attribute. The address keeps it. */
function TintChoice({ replay: { splits, groups, all, tests } }: { replay: Replay }) {
  if (all.length < 2 || splits === null || splits.length === 0) return null
  return (
    <>
      <Choice
        isInline
        label="Colours of gaze"
        value={groups?.label ?? ''}
        of={[
          ['', all.length > TEST_COLORS ? `${TEST_COLORS} in turn` : 'one for each test'],
          ...splits.map(({ label }): ChoiceOption => [label, `by ${isolate(label)}`]),
        ]}
        onChange={(label) => setQuery({ tint: label || null })}
      />
      {groups !== null && (
        <ColorKey
          label={`Colours by ${isolate(groups.label)}`}
          of={tintKey(groups, tests).map(({ name, color, n }) => ({ label: `${name}, ${wholeText(n)} played`, color }))}
        />
      )}
    </>
  )
}

type PlayedListProps = { all: PlayedTest[]; hidden: ReadonlySet<string>; onHide: (hidden: ReadonlySet<string>) => void }

/** Number of tests up to which their list is not folded. */
const LISTED_MAX = 10

function PlayedList({ all, hidden, onHide }: PlayedListProps) {
  const stop = useOneStop<HTMLDivElement>('input, button')
  if (all.length < 2) return null
  const toggle = (id: string) => {
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    onHide(next)
  }
  const ids = all.map(({ recorded }) => recorded.testId)
  return (
    <fieldset class="played">
      <legend>
        Played: {wholeText(all.filter(({ recorded }) => !hidden.has(recorded.testId)).length)} of{' '}
        {wholeText(all.length)}
      </legend>
      <p class="row">
        <Button class="small" onClick={() => onHide(new Set())}>
          All
        </Button>
        <Button class="small" onClick={() => onHide(new Set(ids))}>
          None
        </Button>
      </p>
      <details class="advanced" open={all.length <= LISTED_MAX}>
        <summary>Choose who is played</summary>
        <div class="row chips" {...stop}>
          {all.map(({ recorded: { testId, participantId }, name, color }) => (
            <span key={testId}>
              <Check isOn={!hidden.has(testId)} onChange={() => toggle(testId)}>
                <svg width="12" height="12" aria-hidden="true" focusable="false">
                  <circle cx="6" cy="6" r="6" fill={color} />
                </svg>
                <bdi>{name}</bdi>
              </Check>
              <IgnoreButton participantId={participantId} name={name} isShort />
            </span>
          ))}
        </div>
      </details>
    </fieldset>
  )
}
