import { useMemo } from 'preact/hooks'
import { Choice } from '../../../ui/controls/choice.tsx'
import { TextField } from '../../../ui/controls/field.tsx'
import { type Choices, sideOf } from './choices.ts'
import { CENTRED_UNITS, GAZE_UNITS, ORIGINS, TIME_UNITS, UNITS } from './column-meanings.ts'
import { ColumnRoles, NoNumbers } from './column-roles.tsx'
import { EyeFields } from './eye-fields.tsx'
import type { TableLook } from './found-table.ts'
import { lookAgain } from './look-again.ts'
import { columnOf, type MappingDraft, withRole } from './mapping-draft.ts'
import { RuleField } from './rule-field.tsx'
import { type PreviewTable, samplePoints } from './sample-points.ts'
import { ScreenDrawing } from './screen-drawing.tsx'
import { ScreenSize } from './screen-size.tsx'

type MappingFormProps = {
  table: PreviewTable & { file: string }
  notes: string[]
  /** Server's findings over all rows. */
  look: TableLook
  choices: Choices
  draft: MappingDraft
  onChange: (changes: Partial<Choices>) => void
}

/** Draws the form for the roles of a table's columns, over its first rows, and the result on the screen. */
export function MappingForm({ table, notes, look, choices, draft, onChange }: MappingFormProps) {
  const size = { widthPx: sideOf(choices.widthPx), heightPx: sideOf(choices.heightPx) }
  const isSized = !Number.isNaN(size.widthPx) && !Number.isNaN(size.heightPx)
  const found = useMemo(
    () => samplePoints(table, draft, isSized ? size : { widthPx: 1, heightPx: 1 }),
    [table, draft, size.widthPx, size.heightPx],
  )
  return (
    <div class="mapping">
      <h3>
        Meaning of the columns of <bdi>{table.file}</bdi>
      </h3>
      {notes.length > 0 && (
        <div class="notice">
          <p>This is a proposal. Please check:</p>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}.</li>
            ))}
          </ul>
        </div>
      )}
      <Conditions found={look.conditions} draft={draft} />
      <ColumnRoles
        {...{ table, draft }}
        noNumbers={found.noNumbers}
        onRole={(column, role) => onChange({ mapping: lookAgain(table, draft, withRole(draft, column, role)) })}
      />
      <NoNumbers found={found.noNumbers} rows={table.rows.length} />
      <div class="mapping-parts">
        <UnitFields {...{ choices, draft, onChange }} thresholds={look.thresholds} />
        {isSized ? (
          <ScreenDrawing draft={draft} size={size} found={found} />
        ) : (
          <p class="hint screen-drawing">Enter the size of the screen to see the gaze of the first rows here.</p>
        )}
      </div>
    </div>
  )
}

type UnitFieldsProps = Pick<MappingFormProps, 'choices' | 'draft' | 'onChange'> & Pick<TableLook, 'thresholds'>

/** Asks for units and origin, for which samples count, and for the size of the screen. */
function UnitFields({ choices, draft, thresholds, onChange }: UnitFieldsProps) {
  const set = (changes: Partial<MappingDraft>) => onChange({ mapping: { ...draft, ...changes } })
  return (
    <fieldset class="mapping-fields">
      <legend class="unseen">Units and origin</legend>
      <Choice
        label="Unit of the time"
        value={draft.timeUnit}
        of={TIME_UNITS}
        onChange={(timeUnit) => set({ timeUnit })}
      />
      <Choice
        label="Time 0 is"
        value={draft.timeOrigin}
        of={{ item: 'at item onset', first: 'at the first sample of an item' }}
        onChange={(timeOrigin) => set({ timeOrigin })}
      />
      <Choice
        label="Gaze is in"
        value={draft.unit}
        of={draft.unit === '?' ? { '?': 'choose …', ...GAZE_UNITS } : GAZE_UNITS}
        onChange={(unit) => set(CENTRED_UNITS.includes(unit) ? { unit, origin: centredOf(draft.origin) } : { unit })}
      />
      {draft.unit === 'deg' && (
        <>
          <TextField
            label="Width of the screen, in cm"
            value={draft.screenWidthCm}
            onText={(screenWidthCm) => set({ screenWidthCm })}
          />
          <TextField
            label="Distance of the eyes from the screen, in cm"
            value={draft.viewingDistanceCm}
            onText={(viewingDistanceCm) => set({ viewingDistanceCm })}
          />
        </>
      )}
      <Choice label="x and y are 0" value={draft.origin} of={ORIGINS} onChange={(origin) => set({ origin })} />
      <Choice
        label="When a participant sees an item again, it is"
        value={draft.comesAgain}
        of={{ 'new-test': 'a new test', 'same-test': 'the same test, continued' }}
        onChange={(comesAgain) => set({ comesAgain })}
      />
      <EyeFields {...{ choices, draft, onChange }} />
      {columnOf(draft, 'mouseX') !== null && (
        <Choice
          label="The mouse is in"
          value={draft.mouseUnit}
          of={UNITS}
          onChange={(mouseUnit) => set({ mouseUnit })}
        />
      )}
      <SampleFields {...{ draft, thresholds, set }} />
      <ScreenSize choices={choices} onChange={onChange} />
    </fieldset>
  )
}

/** Returns an origin in the middle of the screen. */
function centredOf(origin: MappingDraft['origin']): MappingDraft['origin'] {
  return origin === 'center-y-down' ? origin : 'center-y-up'
}

type SampleFieldsProps = Pick<UnitFieldsProps, 'draft' | 'thresholds'> & {
  set: (changes: Partial<MappingDraft>) => void
}

/** Asks which rows are samples, and which of their values are lost. */
function SampleFields({ draft, thresholds, set }: SampleFieldsProps) {
  return (
    <>
      <TextField
        label="Numbers that mean lost, separated by commas"
        value={draft.missing}
        placeholder="only empty cells, NA and the like"
        onText={(text) => set({ missing: text })}
      />
      <RuleField
        column={columnOf(draft, 'valid')}
        rule={draft.valid}
        thresholds={thresholds}
        onChange={(valid) => set({ valid })}
      />
      <RuleField
        column={columnOf(draft, 'valid2')}
        rule={draft.valid2}
        thresholds={thresholds}
        onChange={(valid2) => set({ valid2 })}
      />
      {columnOf(draft, 'rows') !== null && (
        <TextField
          label={
            <>
              Rows are samples whose <bdi>{columnOf(draft, 'rows')}</bdi> is one of (separated by commas)
            </>
          }
          value={draft.rows}
          placeholder="any text"
          onText={(text) => set({ rows: text })}
        />
      )}
    </>
  )
}

const VALUES_SHOWN = 5

/** Lists the columns proposed as external data, with the reason. */
function Conditions({ found, draft }: { found: TableLook['conditions']; draft: MappingDraft }) {
  const kept = found.filter(({ column }) => draft.roles[column] === 'external')
  if (kept.length === 0) return null
  return (
    <div class="notice">
      <p>These columns have one value per participant. They are kept as external data:</p>
      <ul>
        {kept.map(({ column, values }) => (
          <li key={column}>
            <bdi>{column}</bdi>: <bdi>{values.slice(0, VALUES_SHOWN).join(', ')}</bdi>
            {values.length > VALUES_SHOWN && ', …'}
          </li>
        ))}
      </ul>
    </div>
  )
}
