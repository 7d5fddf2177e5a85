import { useStudies } from '../../../core/all-studies.ts'
import { mayMake, mayWrite, type Session } from '../../../core/api.ts'
import { projectsOf } from '../../../core/study-order.ts'
import { Check, Chips, Choice, type ChoiceOption } from '../../../ui/controls/choice.tsx'
import { Suggestions, TextField } from '../../../ui/controls/field.tsx'
import type { Choices } from './choices.ts'
import { ScreenSize } from './screen-size.tsx'

type ChoicesFormProps = {
  choices: Choices
  onChange: (changes: Partial<Choices>) => void
  session: Session
  /** Recognized or chosen format; '' for none. */
  format: string
  isBundle: boolean
  /** True if the check needs the size of the screen. */
  needsScreen: boolean
}

/** Draws the choices besides a mapping: the study, its name, and what some formats need. */
export function ChoicesForm({ choices, onChange, session, format, isBundle, needsScreen }: ChoicesFormProps) {
  const isMapped = choices.mapping !== null
  return (
    <div class="choices-form">
      <Into choices={choices} onChange={onChange} session={session} />
      {choices.into === null && !isBundle && (
        <TextField
          label="Name of the study"
          value={choices.name}
          placeholder="name of the file or folder"
          maxLength={500}
          onText={(text) => onChange({ name: text })}
        />
      )}
      {choices.into === null && <Project choices={choices} onChange={onChange} session={session} />}
      {!isBundle && !isMapped && (
        <details open={needsScreen || undefined} class="more-choices">
          <summary>Information that the files lack</summary>
          <ScreenSize choices={choices} onChange={onChange} />
          <FormatFields {...{ format, choices, onChange }} />
        </details>
      )}
      {!isBundle && (
        <Check class="inline" isOn={choices.force} onChange={(isOn) => onChange({ force: isOn })}>
          Publish even if no test has a sample with gaze
        </Check>
      )}
    </div>
  )
}

/** Draws the choices that the files of a format need. */
function FormatFields({ format, choices, onChange }: Pick<ChoicesFormProps, 'format' | 'choices' | 'onChange'>) {
  const text = (
    name: keyof Choices &
      ('tags' | 'externalData' | 'trialMessage' | 'endMessage' | 'itemMessage' | 'onsetMessage' | 'eventMessage'),
    label: string,
    example: string,
  ) => (
    <TextField
      label={label}
      value={choices[name]}
      placeholder={example}
      spellcheck={false}
      onText={(text) => onChange({ [name]: text })}
    />
  )
  return (
    <>
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
        <Check class="inline" isOn={choices.aois} onChange={(isOn) => onChange({ aois: isOn })}>
          Turn zones into AOIs
        </Check>
      )}
    </>
  )
}

/** Draws the choice of a project: any for a token of all studies, one of its own for a token of projects. */
function Project({ choices, onChange, session }: IntoProps) {
  const projects = projectsOf(useStudies().data ?? [])
  const own = session.token?.projects ?? []
  if (own.length > 0)
    return (
      <Choice
        label="Project of the study"
        value={choices.project}
        of={own.map((name): ChoiceOption => [name, name])}
        onChange={(project) => onChange({ project })}
      />
    )
  return (
    <details open={choices.project !== '' || undefined} class="more-choices">
      <summary>Project</summary>
      <TextField
        label="Project of the study, which joins studies"
        maxLength={200}
        list="projects"
        value={choices.project}
        onText={(project) => onChange({ project })}
      />
      <Suggestions id="projects" of={projects} />
    </details>
  )
}

type ReplacingProps = { choices: Choices; onChange: (changes: Partial<Choices>) => void; snapshot: string }

/** Draws the choice between adding files to a study and replacing its data. */
function Replacing({ choices, onChange, snapshot }: ReplacingProps) {
  const isReplacing = choices.replaces !== null
  return (
    <Chips isLegendSeen legend="The data of the study">
      <Check group="replacing" isOn={!isReplacing} onChange={() => onChange({ replaces: null })}>
        stay, and these are added
      </Check>
      <Check group="replacing" isOn={isReplacing} onChange={() => onChange({ replaces: snapshot })}>
        are replaced by these
      </Check>
      {isReplacing && (
        <p class="hint">
          The study keeps its name and authors, and the pictures and AOIs of items that are in the files. Removed
          participants and items return. You can undo this for a day.
        </p>
      )}
    </Chips>
  )
}

type IntoProps = { choices: Choices; onChange: (changes: Partial<Choices>) => void; session: Session }

function Into({ choices, onChange, session }: IntoProps) {
  const studies = (useStudies().data ?? []).filter(({ id }) => mayWrite(session, id))
  const chosen = studies.find(({ id }) => id === choices.into)
  const isOther = choices.into !== null && chosen === undefined
  const choose = (into: string | null) => onChange({ into, replaces: null })
  return (
    <>
      <Choice
        label="Import into"
        value={choices.into ?? ''}
        of={[
          ...(mayMake(session) ? [['', 'a new study'] as const] : []),
          ...(isOther ? [[choices.into!, choices.into!] as const] : []),
          ...studies.map(({ id, name }): ChoiceOption => [id, name || id]),
        ]}
        onChange={(value) => choose(value || null)}
      />
      {chosen !== undefined && (
        <Replacing choices={choices} onChange={onChange} snapshot={choices.replaces ?? chosen.snapshot} />
      )}
    </>
  )
}
