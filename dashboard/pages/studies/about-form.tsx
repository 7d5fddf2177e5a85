import { useState } from 'preact/hooks'
import { forgetAll, type Study, sendJson } from '../../core/api.ts'
import { useChange } from '../../core/use-change.ts'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Field, TextField } from '../../ui/controls/field.tsx'

export type AboutDraft = NonNullable<Study['about']>
export type AuthorDraft = NonNullable<AboutDraft['authors']>[number]

const COMMON_LICENSES = ['CC0-1.0', 'CC-BY-4.0', 'CC-BY-SA-4.0', 'CC-BY-NC-4.0', 'ODbL-1.0', 'PDDL-1.0']
const LISTS = [
  ['funding', 'Funding'],
  ['ethics', 'Ethics approvals'],
  ['references', 'References'],
] as const
const AUTHOR_FIELDS = [
  ['givenName', 'Given name'],
  ['familyName', 'Family name'],
  ['name', 'or name of a group'],
  ['orcid', 'ORCID iD'],
  ['affiliation', 'Affiliation'],
] as const

type Texts = Record<'description' | 'keywords' | 'license' | 'doi' | (typeof LISTS)[number][0], string>
/** Edits the authors of a study, and how others may use and cite it. */
export function AboutForm({ study, onSaved, onCancel }: { study: Study; onSaved: () => void; onCancel: () => void }) {
  const { about = {} } = study
  const [authors, setAuthors] = useState<AuthorDraft[]>(about.authors ?? [{}])
  const [texts, setTexts] = useState(textsOf(about))
  const { problem, isBusy, act } = useChange(() => {
    forgetAll()
    onSaved()
  })
  const write = (key: keyof Texts) => (value: string) => setTexts({ ...texts, [key]: value })
  const save = (event: Event) => {
    event.preventDefault()
    const path = `/api2/studies/${study.id}/about`
    void act(() => sendJson(path, 'PUT', written(authors, texts), { 'If-Match': `"${study.snapshot}"` }))
  }
  return (
    <form onSubmit={save}>
      <LongField
        label="Description"
        rows={4}
        maxLength={5000}
        value={texts.description}
        onText={write('description')}
      />
      <TextField label="Keywords, separated by commas" value={texts.keywords} onText={write('keywords')} />
      {authors.map((author, i) => (
        <fieldset key={i} class="row about-author">
          <legend>Author {i + 1}</legend>
          {AUTHOR_FIELDS.map(([key, label]) => (
            <TextField
              key={key}
              label={label}
              value={author[key] ?? ''}
              onText={(text) => setAuthors(authors.with(i, { ...author, [key]: text }))}
            />
          ))}
          <Button class="quiet small" onClick={() => setAuthors(authors.toSpliced(i, 1))}>
            Remove author {i + 1}
          </Button>
        </fieldset>
      ))}
      <p class="row">
        <Button onClick={() => setAuthors([...authors, {}])}>Add an author</Button>
      </p>
      <div class="row">
        <LicenseField value={texts.license} onText={write('license')} />
        <TextField label="DOI" value={texts.doi} onText={write('doi')} />
      </div>
      {LISTS.map(([key, label]) => (
        <LongField key={key} label={`${label}, one per line`} rows={2} value={texts[key]} onText={write(key)} />
      ))}
      <Actions problem={problem} onCancel={onCancel}>
        <Button isSubmit class="primary" disabled={isBusy}>
          Save
        </Button>
      </Actions>
    </form>
  )
}

type TextProps = { value: string; onText: (text: string) => void }
function LongField({ label, onText, ...rest }: TextProps & { label: string; rows: number; maxLength?: number }) {
  return (
    <Field label={label}>
      <textarea {...rest} onInput={(event) => onText(event.currentTarget.value)} />
    </Field>
  )
}

function LicenseField({ value, onText }: TextProps) {
  return (
    <Field label="Licence, by its SPDX identifier">
      <input type="text" list="licenses" value={value} onInput={(event) => onText(event.currentTarget.value)} />
      <datalist id="licenses">
        {COMMON_LICENSES.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </Field>
  )
}

/** Returns the initial values of a form. */
function textsOf(about: AboutDraft): Texts {
  const { description = '', keywords = [], license = '', doi = '', funding = [], ethics = [], references = [] } = about
  return {
    description,
    keywords: keywords.join(', '),
    license,
    doi,
    funding: funding.join('\n'),
    ethics: ethics.join('\n'),
    references: references.join('\n'),
  }
}

/** Returns the values of a form, without empty ones. */
function written(authors: AuthorDraft[], texts: Record<string, string>): AboutDraft {
  const { description, keywords, license, doi, ...lists } = texts
  const filled = <T extends object>(given: T) =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')) as T
  const trimmed = (author: AuthorDraft) =>
    filled(Object.fromEntries(Object.entries(author).map(([key, value]) => [key, (value ?? '').trim()])))
  const named = authors.map(trimmed).filter((author) => Object.keys(author).length > 0)
  const linesOf = (text: string) => text.split('\n').flatMap((line) => line.trim() || [])
  const words = keywords.split(',').flatMap((word) => word.trim() || [])
  return {
    ...filled({ description: description.trim() }),
    keywords: [...new Set(words)],
    authors: named,
    ...filled({ license: license.trim(), doi: doi.trim().replace(/^https?:\/\/(dx\.)?doi\.org\//i, '') }),
    ...Object.fromEntries(Object.entries(lists).map(([key, text]) => [key, linesOf(text)])),
  }
}
