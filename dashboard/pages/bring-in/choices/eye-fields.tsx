import type { Choices } from './choices.ts'
import { Choose } from './choose.tsx'
import { columnOf, type MappingDraft, PUPIL_UNITS } from './mapping-draft.ts'

/** Asks for the unit of pupils, and which messages of a table are events, where it has columns of them. */
export function EyeFields({
  choices,
  draft,
  onChange,
}: {
  choices: Choices
  draft: MappingDraft
  onChange: (changes: Partial<Choices>) => void
}) {
  const hasPupils = columnOf(draft, 'leftPupil') !== null || columnOf(draft, 'rightPupil') !== null
  return (
    <>
      {hasPupils && (
        <Choose
          label="Pupils are in"
          value={draft.pupilUnit}
          of={PUPIL_UNITS}
          onChange={(pupilUnit) => onChange({ mapping: { ...draft, pupilUnit } })}
        />
      )}
      {columnOf(draft, 'events') !== null && (
        <label class="field">
          <span>Messages to keep as events (regular expression)</span>
          <input
            type="text"
            value={choices.eventMessage}
            placeholder="none, such as ^(TRIGGER) (\\d+)"
            onInput={(event) => onChange({ eventMessage: event.currentTarget.value })}
          />
        </label>
      )}
    </>
  )
}
