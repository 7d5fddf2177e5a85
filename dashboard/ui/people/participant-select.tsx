import type { Participant } from '../../core/api.ts'
import { isOfOne, useLink } from '../../core/link-seen.ts'
import { isolate, nameOf } from '../../core/number-texts.ts'
import { type Option, Select } from '../controls/choice.tsx'

type ParticipantSelectProps = {
  all: Participant[]
  participantId: string | null
  itemIndex: number
  told?: (grade: number | null) => string
  onChange: (id: string) => void
}

/**
 * Draws the choice of one participant, or all, for an item. A visitor with a link to one participant has no choice.
 *
 * @param told returns the text after a name, by the grade on the item, which is null if the test is not shown
 * @param onChange called with '' for all
 */
export function ParticipantSelect({
  all,
  participantId,
  itemIndex,
  told = () => '',
  onChange,
}: ParticipantSelectProps) {
  const link = useLink()
  const option = (each: Participant): Option => {
    const grade = each.grades[itemIndex]
    return [each.id, isolate(nameOf(each)) + told(grade), grade === null]
  }
  return (
    <Select
      aria-label="Participant"
      value={participantId ?? ''}
      disabled={link !== null && isOfOne(link)}
      of={[['', 'All participants'], ...all.map(option)]}
      onChange={onChange}
    />
  )
}
