import type { Participant } from '../../core/api.ts'
import { isOfOne, useLink } from '../../core/link-seen.ts'
import { isolate, participantLabel } from '../../core/number-texts.ts'
import { type ChoiceOption, Select } from '../controls/choice.tsx'

const PREVIOUS = { title: 'Previous participant', shortcut: 'P' }
const NEXT = { title: 'Next participant', shortcut: 'N' }

/** Most rows of a list before it scrolls. */
const LISTED = 24

export type ParticipantSelectProps = {
  all: Participant[]
  participantId: string | null
  itemIndex: number
  /** True for a list, whose neighbours are in sight; a menu has buttons for them. */
  isList?: boolean
  /** Participants of a list that the keys P and N choose. */
  before?: string
  after?: string
  onChange: (id: string) => void
}

/**
 * Draws the choice of one participant, or all, for an item, with the samples lost on it in percent. A visitor with a
 * link to one participant has no choice.
 *
 * @param onChange called with '' for all
 */
export function ParticipantSelect(props: ParticipantSelectProps) {
  const { all, participantId, itemIndex, isList = false, before, after, onChange } = props
  const link = useLink()
  const option = (each: Participant): ChoiceOption => {
    const isShown = each.grades[itemIndex] !== null
    const lost = each.loss === undefined ? undefined : (each.loss.ofItems[itemIndex]?.toFixed(1) ?? '–')
    const name = isolate(participantLabel(each))
    if (!isShown) return [each.id, `${name} – not shown`, true]
    const step = each.id === before ? PREVIOUS : each.id === after ? NEXT : {}
    if (isList) return [each.id, name, false, { beside: lost, ...step }]
    return [each.id, lost === undefined || lost === '–' ? name : `${name} · ${lost} % lost`]
  }
  return (
    <Select
      aria-label="Participant"
      size={isList ? Math.max(2, Math.min(LISTED, all.length + 1)) : undefined}
      value={participantId ?? ''}
      disabled={link !== null && isOfOne(link)}
      of={[['', 'All participants'], ...all.map(option)]}
      onChange={onChange}
    />
  )
}
