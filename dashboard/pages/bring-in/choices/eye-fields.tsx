import { Choice } from '../../../ui/controls/choice.tsx'
import { TextField } from '../../../ui/controls/field.tsx'
import type { Choices } from './choices.ts'
import { PUPIL_UNIT_NAMES } from './column-meanings.ts'
import { columnOf, type MappingDraft, namesItems } from './mapping-draft.ts'

type EyeFieldsProps = { choices: Choices; draft: MappingDraft; onChange: (changes: Partial<Choices>) => void }

/** Asks for the unit of pupils, and for the messages that are events, if the table has such columns. */
export function EyeFields({ choices, draft, onChange }: EyeFieldsProps) {
  const hasPupils = columnOf(draft, 'leftPupil') !== null || columnOf(draft, 'rightPupil') !== null
  return (
    <>
      {hasPupils && (
        <Choice
          label="Pupils are in"
          value={draft.pupilUnit}
          of={PUPIL_UNIT_NAMES}
          onChange={(pupilUnit) => onChange({ mapping: { ...draft, pupilUnit } })}
        />
      )}
      {columnOf(draft, 'events') !== null && (
        <TextField
          label="Messages to keep as events (regular expression)"
          value={choices.eventMessage}
          placeholder="none, such as ^(TRIGGER) (\d+)"
          onText={(eventMessage) => onChange({ eventMessage })}
        />
      )}
      {namesItems(draft) && (
        <TextField
          label="Messages that name the item of the rows after them (regular expression)"
          value={draft.itemMessage}
          placeholder="none, such as ^IMAGE (.+)$"
          onText={(itemMessage) => onChange({ mapping: { ...draft, itemMessage } })}
        />
      )}
    </>
  )
}
