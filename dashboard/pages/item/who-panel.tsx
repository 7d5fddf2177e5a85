import type { FixationsData } from '../../core/api.ts'
import { isNotInStudy, type People } from '../../core/people/people.ts'
import type { Loaded } from '../../core/use-data.ts'
import type { Settings } from '../../core/view/chart-settings.ts'
import { useHasLists } from '../../core/view/places.ts'
import { KeptLine } from '../../figures/settings/item-side.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { TestFilter } from '../../figures/settings/test-filter.tsx'
import { IgnoreButton } from '../../ui/analysis/analysis-strip.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { ParticipantChoice } from '../../ui/people/participant-choice.tsx'
import { Trouble } from '../../ui/waiting/states.tsx'

type WhoPanelProps = {
  people: People
  participantId: string | null
  itemIndex: number
  settings: Settings
  fixations: Loaded<FixationsData>
  onChange: (settings: Settings) => void
}

/** Draws which tests are kept, and the choice of the participant unless a list beside the figure has it. */
export function WhoPanel({ people, participantId, itemIndex, settings, fixations, onChange }: WhoPanelProps) {
  const hasLists = useHasLists()
  // Without this problem, the list of participants would look complete.
  const missing = people.first.problem ?? people.problem
  return (
    <Panel title={hasLists ? 'Tests' : 'Participant'} class="who-panel">
      {!hasLists && <ParticipantChoice all={people.all} itemIndex={itemIndex} />}
      {participantId !== null && !isNotInStudy(people, participantId) && (
        <p class="row">
          <IgnoreButton participantId={participantId} name={people.names.get(participantId)} />
        </p>
      )}
      {missing !== null && <Trouble problem={missing} retry={people.retry} />}
      <GradeFilter settings={settings} onChange={onChange} />
      <TestFilter people={people} settings={settings} onChange={onChange} problem={fixations.problem} />
      {fixations.problem === null && <KeptLine counts={fixations.data} />}
    </Panel>
  )
}
