import { useStudies } from '../../../core/all-studies.ts'
import { mayWrite, type Session } from '../../../core/api.ts'
import type { Choices } from './choices.ts'
import { ScreenSize } from './screen-size.tsx'

/**
 * Draws what can be said of the files besides a mapping: which study they belong to, its name, and what some formats
 * need.
 */
export function ChoicesForm({
  choices,
  onChange,
  session,
  format,
  isBundle,
  needsScreen,
}: {
  choices: Choices
  onChange: (changes: Partial<Choices>) => void
  session: Session
  /** Recognised or chosen format; '' if there is none. */
  format: string
  isBundle: boolean
  /** True if the check needs the size of the screen. */
  needsScreen: boolean
}) {
  const text = (
    name: keyof Choices &
      ('tags' | 'externalData' | 'trialMessage' | 'endMessage' | 'itemMessage' | 'onsetMessage' | 'eventMessage'),
    label: string,
    example: string,
  ) => (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        value={choices[name]}
        placeholder={example}
        spellcheck={false}
        onInput={(event) => onChange({ [name]: event.currentTarget.value })}
      />
    </label>
  )
  const isMapped = choices.mapping !== null
  return (
    <div class="choices-form">
      <Into choices={choices} onChange={onChange} session={session} />
      {choices.into === null && !isBundle && (
        <label class="field">
          <span>Name of the study</span>
          <input
            type="text"
            value={choices.name}
            placeholder="name of the file or folder"
            maxLength={500}
            onInput={(event) => onChange({ name: event.currentTarget.value })}
          />
        </label>
      )}
      {!isBundle && !isMapped && (
        <details open={needsScreen || undefined} class="more-choices">
          <summary>Information that the files lack</summary>
          <ScreenSize choices={choices} onChange={onChange} />
          {format === 'jspsych' && (
            <>
              {text('tags', 'Columns that become tags of participants, separated by commas', 'condition')}
              {text('externalData', 'Columns to keep as external data, separated by commas', 'score')}
            </>
          )}
          {format === 'eyelink' && (
            <>
              {text('trialMessage', 'Message that begins a trial (regular expression)', '^BEGIN (\\d+)')}
              {text('endMessage', 'Message that ends a trial', '^END_TRIAL')}
              {text('itemMessage', 'Message that names the item', '^picture (\\S+)')}
              {text('onsetMessage', 'Message at item onset', '^picture')}
            </>
          )}
          {['eyelink', 'tobii', 'pupil', 'gazepoint', 'jspsych', 'bids'].includes(format) &&
            text('eventMessage', 'Messages to keep as events (regular expression)', '^(TRIGGER) (\\d+)')}
          {format === 'gorilla' && (
            <label class="inline">
              <input
                type="checkbox"
                checked={choices.aois}
                onChange={(event) => onChange({ aois: event.currentTarget.checked })}
              />
              Turn zones into AOIs
            </label>
          )}
        </details>
      )}
      {!isBundle && (
        <label class="inline">
          <input
            type="checkbox"
            checked={choices.force}
            onChange={(event) => onChange({ force: event.currentTarget.checked })}
          />
          Publish even if no test has a sample with gaze
        </label>
      )}
    </div>
  )
}

/** Asks whether files are added to a study, or replace its data. */
function Replacing({
  choices,
  onChange,
  snapshot,
}: {
  choices: Choices
  onChange: (changes: Partial<Choices>) => void
  snapshot: string
}) {
  const isReplacing = choices.replaces !== null
  return (
    <fieldset class="row chips">
      <legend>The data of the study</legend>
      <label class="chip">
        <input type="radio" name="replacing" checked={!isReplacing} onChange={() => onChange({ replaces: null })} />
        stay, and these are added
      </label>
      <label class="chip">
        <input type="radio" name="replacing" checked={isReplacing} onChange={() => onChange({ replaces: snapshot })} />
        are replaced by these
      </label>
      {isReplacing && (
        <p class="hint">
          Its name, authors, pictures and AOIs are kept, of items that are in the files. Participants and items that
          were removed come back. It can be undone for a day.
        </p>
      )}
    </fieldset>
  )
}

function Into({
  choices,
  onChange,
  session,
}: {
  choices: Choices
  onChange: (changes: Partial<Choices>) => void
  session: Session
}) {
  const studies = (useStudies().data ?? []).filter(({ id }) => mayWrite(session, id))
  const mayMake = session.token?.studies === 'all'
  const chosen = studies.find(({ id }) => id === choices.into)
  const isOther = choices.into !== null && chosen === undefined
  const choose = (into: string | null) => onChange({ into, replaces: null })
  return (
    <>
      <label class="field">
        <span>Import into</span>
        <select value={choices.into ?? ''} onChange={(event) => choose(event.currentTarget.value || null)}>
          {mayMake && <option value="">a new study</option>}
          {isOther && <option value={choices.into!}>{choices.into}</option>}
          {studies.map(({ id, name }) => (
            <option key={id} value={id}>
              {name || id}
            </option>
          ))}
        </select>
      </label>
      {chosen !== undefined && (
        <Replacing choices={choices} onChange={onChange} snapshot={choices.replaces ?? chosen.snapshot} />
      )}
    </>
  )
}
