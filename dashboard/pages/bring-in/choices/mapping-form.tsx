import { useMemo, useState } from 'preact/hooks'
import type { Import } from '../../../../clients/js/src/types.ts'
import { countOf, decimal } from '../../../core/number-texts.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Choice } from '../../../ui/controls/choice.tsx'
import { TextField, TextInput } from '../../../ui/controls/field.tsx'
import { Scrolling } from '../../../ui/scrolling.tsx'
import { type Choices, sideOf } from './choices.ts'
import { EyeFields } from './eye-fields.tsx'
import {
  columnOf,
  type MappingDraft,
  ORIGINS,
  ROLES,
  type Role,
  type Rule,
  TIME_UNITS,
  UNITS,
  withRole,
} from './mapping-draft.ts'
import { type NoNumber, type PreviewTable, samplePoints } from './sample-points.ts'
import { ScreenDrawing } from './screen-drawing.tsx'
import { ScreenSize } from './screen-size.tsx'

const ROWS_SHOWN = 8
const GROUPS: [string, Role[]][] = [
  ['Participants and items', ['participant', 'item', 'trial']],
  ['Time', ['time']],
  ['Gaze', ['x', 'y', 'x2', 'y2', 'valid', 'valid2', 'rows']],
  ['Eyes and events', ['leftPupil', 'rightPupil', 'leftDistance', 'rightDistance', 'events']],
  ['Mouse', ['mouseX', 'mouseY', 'scroll', 'click']],
  ['Attributes of participants', ['tag', 'external']],
]

type FoundTable = NonNullable<NonNullable<Import['found']>['table']>
type Look = Pick<FoundTable, 'conditions' | 'thresholds'>

type MappingFormProps = {
  table: PreviewTable & { file: string }
  notes: string[]
  /** Findings of the server in all rows. */
  look: Look
  choices: Choices
  draft: MappingDraft
  onChange: (changes: Partial<Choices>) => void
}

/**
 * Draws the form that says what the columns of a table mean, over its first rows, and what that comes to on the screen.
 */
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
        Meaning of the columns of <bdi>{table.file}</bdi> mean
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
      <Columns
        table={table}
        draft={draft}
        noNumbers={found.noNumbers}
        onRole={(column, role) => onChange({ mapping: withRole(draft, column, role) })}
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

type UnitFieldsProps = {
  choices: Choices
  draft: MappingDraft
  thresholds: Look['thresholds']
  onChange: (changes: Partial<Choices>) => void
}

/** Asks for units, origin, what counts as lost, and the size of the screen. */
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
        of={draft.unit === '?' ? { '?': 'choose …', ...UNITS } : UNITS}
        onChange={(unit) => set({ unit })}
      />
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
      <TextField
        label="Numbers that mean lost, separated by commas"
        value={draft.missing}
        placeholder="none but empty cells, NA and the like"
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
      <ScreenSize choices={choices} onChange={onChange} />
    </fieldset>
  )
}

type ColumnsProps = {
  table: PreviewTable
  draft: MappingDraft
  noNumbers: NoNumber[]
  onRole: (column: string, role: Role | null) => void
}

function Columns({ table, draft, noNumbers, onRole }: ColumnsProps) {
  const [isLong, setIsLong] = useState(false)
  const rows = isLong ? table.rows : table.rows.slice(0, ROWS_SHOWN)
  const wrong = new Set(noNumbers.map(({ column, row }) => `${row} ${column}`))
  return (
    <>
      <Scrolling class="table-scroll tall preview" label="Columns and first rows">
        <table>
          <thead>
            <tr>
              {table.header.map((name, at) => (
                <th key={at} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
            <tr>
              {table.header.map((name, at) => (
                <td key={at} class={draft.roles[name] === undefined ? undefined : 'used'}>
                  <select
                    aria-label={`${name} is`}
                    value={draft.roles[name] ?? ''}
                    onChange={(event) => onRole(name, (event.currentTarget.value || null) as Role | null)}
                  >
                    <option value="">– left out</option>
                    {GROUPS.map(([label, roles]) => (
                      <optgroup key={label} label={label}>
                        {roles.map((role) => (
                          <option key={role} value={role}>
                            {ROLES[role]}
                          </option>
                        ))}
                      </optgroup>
                    ))}
                  </select>
                </td>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {table.header.map((name, at) => (
                  <td key={at} class={wrong.has(`${i + 1} ${name}`) ? 'no-number' : undefined}>
                    <bdi>{row[at]}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {table.rows.length > ROWS_SHOWN && (
        <p>
          <Button class="small" aria-expanded={isLong} onClick={() => setIsLong(!isLong)}>
            {isLong ? 'Show fewer rows' : `Show the first ${table.rows.length} rows`}
          </Button>
        </p>
      )}
    </>
  )
}

function NoNumbers({ found, rows }: { found: NoNumber[]; rows: number }) {
  const columns = [...new Set(found.map(({ column }) => column))]
  if (columns.length === 0) return null
  return (
    <ul class="bulleted no-numbers">
      {columns.map((column) => {
        const cells = found.filter((one) => one.column === column)
        return (
          <li key={column}>
            <bdi>{column}</bdi>: {countOf(cells.length, 'cell')} of the first {rows} rows{' '}
            {cells.length === 1 ? 'is not a number' : 'are not numbers'}, such as “<bdi>{cells[0].text}</bdi>” in row{' '}
            {cells[0].row}. {cells.length === 1 ? 'It counts' : 'They count'} as lost.
          </li>
        )
      })}
    </ul>
  )
}

type RuleFieldProps = {
  column: string | null
  rule: Rule
  thresholds: Look['thresholds']
  onChange: (rule: Rule) => void
}

function RuleField({ column, rule, thresholds, onChange }: RuleFieldProps) {
  if (column === null) return null
  const steps = thresholds.find((one) => one.column === column)?.steps ?? null
  return (
    <div class="field">
      <Choice
        label={`Gaze is valid where ${column} is`}
        value={rule.is}
        of={{ values: 'one of these texts, separated by commas', least: 'at least this number' }}
        onChange={(is) => onChange({ ...rule, is })}
      />
      {rule.is === 'least' && steps !== null && (
        <Threshold column={column} steps={steps} rule={rule} onChange={(text) => onChange({ ...rule, text })} />
      )}
      <TextInput
        aria-label={`Texts or least number of ${column}`}
        value={rule.text}
        onText={(text) => onChange({ ...rule, text: text })}
      />
    </div>
  )
}

type ThresholdProps = {
  column: string
  steps: Look['thresholds'][number]['steps']
  rule: Rule
  onChange: (text: string) => void
}

/** Chooses the least number that is valid, and says which share of the gaze that leaves out. */
function Threshold({ column, steps, rule, onChange }: ThresholdProps) {
  const least = rule.text.trim() === '' ? Number.NaN : Number(rule.text)
  const at = steps.findIndex((step) => step.least >= least)
  const chosen = steps[at]
  return (
    <div class="threshold">
      <input
        type="range"
        aria-label={`Least ${column} that is valid`}
        min={0}
        max={steps.length - 1}
        step={1}
        value={Math.max(0, at)}
        aria-valuetext={chosen && `${chosen.least}`}
        onInput={(event) => onChange(String(steps[Number(event.currentTarget.value)].least))}
      />
      <p class="hint" aria-live="polite">
        {chosen === undefined
          ? 'Move it to see which share of the gaze would be lost.'
          : `${decimal(chosen.lostPercents)} % of the rows with gaze lie below ${chosen.least}, and count as lost.`}
      </p>
    </div>
  )
}

const VALUES_SHOWN = 5

/** Tells which columns are proposed as external data, and why. */
function Conditions({ found, draft }: { found: Look['conditions']; draft: MappingDraft }) {
  const kept = found.filter(({ column }) => draft.roles[column] === 'external')
  if (kept.length === 0) return null
  return (
    <div class="notice">
      <p>Each participant has one value in these columns, which are kept as external data of them:</p>
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
