import type { FixationsData, Participant } from '../../core/api.ts'
import { useOneStop } from '../../core/one-stop.ts'
import type { People } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import type { Loaded } from '../../core/use-data.ts'
import type { Settings } from '../../core/view/chart-settings.ts'
import { KeptLine } from '../../figures/settings/item-side.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { TestFilter } from '../../figures/settings/test-filter.tsx'
import { IgnoreButton } from '../../ui/analysis/analysis-strip.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { ParticipantSelect } from '../../ui/people/participant-select.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'

type WhoPanelProps = {
  people: People
  participantId: string | null
  itemIndex: number
  settings: Settings
  fixations: Loaded<FixationsData>
  onChange: (settings: Settings) => void
}

/** Draws the choice of the participant, and which tests are kept. */
export function WhoPanel({ people, participantId, itemIndex, settings, fixations, onChange }: WhoPanelProps) {
  // Without this problem, the list of participants would look complete.
  const missing = people.first.problem ?? people.problem
  return (
    <Panel title="Participant" class="who-panel">
      <WhoChoice all={people.all} {...{ participantId, itemIndex }} />
      {participantId !== null && (
        <p class="row">
          <IgnoreButton participantId={participantId} name={people.names.get(participantId)} />
        </p>
      )}
      {missing !== null && <Trouble problem={missing} retry={people.first.retry} />}
      <GradeFilter settings={settings} onChange={onChange} />
      <TestFilter people={people} settings={settings} onChange={onChange} problem={fixations.problem} />
      {fixations.problem === null && <KeptLine counts={fixations.data} />}
    </Panel>
  )
}

type WhoChoiceProps = { all: Participant[]; participantId: string | null; itemIndex: number }

function WhoChoice({ all, participantId, itemIndex }: WhoChoiceProps) {
  const { query } = usePlace()
  const choose = (id: string) => setQuery({ participant: id, layers: query.get('layers') })
  const stop = useOneStop<HTMLSpanElement>('button:enabled')
  const neighbours = neighboursOf(all, participantId, itemIndex)
  return (
    <div class="who">
      <ParticipantSelect {...{ all, participantId, itemIndex }} onChange={choose} />
      <span class="neighbours" {...stop}>
        <Button
          class="small"
          aria-label="Previous participant"
          aria-keyshortcuts="P"
          disabled={!neighbours.before}
          onClick={() => choose(neighbours.before!)}
        >
          ‹
        </Button>
        <Button
          class="small"
          aria-label="Next participant"
          aria-keyshortcuts="N"
          disabled={!neighbours.after}
          onClick={() => choose(neighbours.after!)}
        >
          ›
        </Button>
      </span>
    </div>
  )
}

function neighboursOf(people: Participant[], participantId: string | null, itemIndex: number) {
  const shown = people.filter(({ grades }) => grades[itemIndex] !== null)
  const at = shown.findIndex(({ id }) => id === participantId)
  return { before: at > 0 ? shown[at - 1].id : undefined, after: shown[at + 1]?.id }
}
