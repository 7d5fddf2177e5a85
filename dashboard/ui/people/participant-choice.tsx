import type { Participant } from '../../core/api.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { Button } from '../controls/button.tsx'
import { ParticipantSelect, type ParticipantSelectProps } from './participant-select.tsx'

type ParticipantChoiceProps = Pick<ParticipantSelectProps, 'all' | 'itemIndex' | 'isList'>

/** Draws the choice of the participant that the address keeps, or of all, with steps to the next and the previous. */
export function ParticipantChoice({ all, itemIndex, isList = false }: ParticipantChoiceProps) {
  const participantId = usePlace().query.get('participant') || null
  const choose = (participant: string) => setQuery({ participant, test: null })
  const stop = useOneStop<HTMLSpanElement>('button:enabled')
  const { before, after } = neighboursOf(all, participantId, itemIndex)
  const select = <ParticipantSelect {...{ all, participantId, itemIndex, isList, before, after }} onChange={choose} />
  if (isList) return select
  const step = (label: string, key: string, to: string | undefined, sign: string) => (
    <Button
      class="small"
      aria-label={`${label} participant`}
      aria-keyshortcuts={key}
      disabled={to === undefined}
      onClick={() => choose(to!)}
    >
      {sign}
    </Button>
  )
  return (
    <div class="who">
      {select}
      <span class="neighbours" {...stop}>
        {step('Previous', 'P', before, '‹')}
        {step('Next', 'N', after, '›')}
      </span>
    </div>
  )
}

function neighboursOf(people: Participant[], participantId: string | null, itemIndex: number) {
  const shown = people.filter(({ grades }) => grades[itemIndex] !== null)
  const at = shown.findIndex(({ id }) => id === participantId)
  return { before: at > 0 ? shown[at - 1].id : undefined, after: shown[at + 1]?.id }
}
