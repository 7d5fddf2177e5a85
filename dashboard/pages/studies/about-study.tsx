import { useState } from 'preact/hooks'
import { forgetAll, type Study, sendJson } from '../../core/api.ts'
import { useChange } from '../../core/use-change.ts'
import { Actions } from '../../ui/actions.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Field, TextField } from '../../ui/controls/field.tsx'
import { Panel } from '../../ui/controls/panel.tsx'

type About = NonNullable<Study['about']>
type Author = NonNullable<About['authors']>[number]

type AboutStudyProps = { study: Study; mayWrite: boolean; onSaved: () => void }

/** Shows the authors of a study and how others may use and cite it; users who may write can edit it. */
export function AboutStudy({ study, mayWrite, onSaved }: AboutStudyProps) {
  const [isEdited, setIsEdited] = useState(false)
  const isKnown = study.about !== undefined
  if (!isKnown && !mayWrite) return null
  const saved = () => {
    setIsEdited(false)
    onSaved()
  }
  return (
    <Panel
      title="Description, authors and licence"
      id="about"
      class="about"
      side={mayWrite && !isEdited && <Button onClick={() => setIsEdited(true)}>{isKnown ? 'Edit' : 'Add'}</Button>}
    >
      {isEdited ? (
        <AboutForm study={study} onSaved={saved} onCancel={() => setIsEdited(false)} />
      ) : isKnown ? (
        <AboutFacts about={study.about!} />
      ) : (
        <p>Packages and BIDS datasets need a description, authors and a licence. This study has none of these yet.</p>
      )}
    </Panel>
  )
}

function AboutFacts({ about }: { about: About }) {
  const { description, keywords, authors = [], license, doi, funding, ethics, references } = about
  const lists = [
    ['Funding', funding],
    ['Ethics', ethics],
    ['References', references],
  ] as const
  return (
    <dl>
      {description !== undefined && (
        <>
          <dt>Description</dt>
          <dd class="prose">
            <bdi>{description}</bdi>
          </dd>
        </>
      )}
      {keywords !== undefined && (
        <>
          <dt>Keywords</dt>
          <dd>
            <bdi>{keywords.join(', ')}</bdi>
          </dd>
        </>
      )}
      {authors.length > 0 && (
        <>
          <dt>Authors</dt>
          <dd>
            <ul class="bulleted">
              {authors.map((author, i) => (
                <li key={i}>
                  <bdi>{nameOf(author)}</bdi>
                  {author.affiliation && (
                    <>
                      , <bdi>{author.affiliation}</bdi>
                    </>
                  )}
                  {author.orcid && (
                    <>
                      {' '}
                      (<a href={`https://orcid.org/${author.orcid}`}>{author.orcid}</a>)
                    </>
                  )}
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
      {license !== undefined && (
        <>
          <dt>Licence</dt>
          <dd>
            <a href={`https://spdx.org/licenses/${license}.html`}>{license}</a>
          </dd>
        </>
      )}
      {doi !== undefined && (
        <>
          <dt>DOI</dt>
          <dd>
            <a href={`https://doi.org/${doi}`}>{doi}</a>
          </dd>
        </>
      )}
      {lists.map(([title, lines]) =>
        lines === undefined ? null : (
          <>
            <dt>{title}</dt>
            <dd>
              <ul class="bulleted">
                {lines.map((line, i) => (
                  <li key={i}>
                    <bdi>{line}</bdi>
                  </li>
                ))}
              </ul>
            </dd>
          </>
        ),
      )}
    </dl>
  )
}

function nameOf({ givenName, familyName, name }: Author): string {
  return familyName === undefined ? (name ?? '') : [givenName, familyName].filter(Boolean).join(' ')
}

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

type AboutFormProps = { study: Study; onSaved: () => void; onCancel: () => void }

function AboutForm({ study, onSaved, onCancel }: AboutFormProps) {
  const { about = {} } = study
  const [authors, setAuthors] = useState<Author[]>(about.authors ?? [{}])
  const [texts, setTexts] = useState({
    description: about.description ?? '',
    keywords: (about.keywords ?? []).join(', '),
    license: about.license ?? '',
    doi: about.doi ?? '',
    ...Object.fromEntries(LISTS.map(([key]) => [key, (about[key] ?? []).join('\n')])),
  } as Record<'description' | 'keywords' | 'license' | 'doi' | (typeof LISTS)[number][0], string>)
  const { problem, isBusy, act } = useChange(() => {
    forgetAll()
    onSaved()
  })
  const change = (i: number, key: keyof Author, value: string) =>
    setAuthors(authors.with(i, { ...authors[i], [key]: value }))
  const write = (key: keyof typeof texts, value: string) => setTexts({ ...texts, [key]: value })
  const save = (event: Event) => {
    event.preventDefault()
    const path = `/api2/studies/${study.id}/about`
    void act(() => sendJson(path, 'PUT', written(authors, texts), { 'If-Match': `"${study.snapshot}"` }))
  }
  return (
    <form onSubmit={save}>
      <label class="field">
        <span>Description</span>
        <textarea
          rows={4}
          maxLength={5000}
          value={texts.description}
          onInput={(event) => write('description', event.currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>Keywords, separated by commas</span>
        <input type="text" value={texts.keywords} onInput={(event) => write('keywords', event.currentTarget.value)} />
      </label>
      {authors.map((author, i) => (
        <fieldset key={i} class="row about-author">
          <legend>Author {i + 1}</legend>
          {AUTHOR_FIELDS.map(([key, label]) => (
            <TextField key={key} label={label} value={author[key] ?? ''} onText={(text) => change(i, key, text)} />
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
        <Field label="Licence, by its SPDX identifier">
          <input
            type="text"
            list="licenses"
            value={texts.license}
            onInput={(event) => write('license', event.currentTarget.value)}
          />
          <datalist id="licenses">
            {COMMON_LICENSES.map((id) => (
              <option key={id} value={id} />
            ))}
          </datalist>
        </Field>
        <TextField label="DOI" value={texts.doi} onText={(text) => write('doi', text)} />
      </div>
      {LISTS.map(([key, label]) => (
        <Field key={key} label={`${label}, one per line`}>
          <textarea rows={2} value={texts[key]} onInput={(event) => write(key, event.currentTarget.value)} />
        </Field>
      ))}
      <Actions problem={problem} onCancel={onCancel}>
        <Button isSubmit class="primary" disabled={isBusy}>
          Save
        </Button>
      </Actions>
    </form>
  )
}

/** Returns the values of a form, without empty ones. */
function written(authors: Author[], texts: Record<string, string>): About {
  const { description, keywords, license, doi, ...lists } = texts
  const filled = <T extends object>(given: T) =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')) as T
  const trimmed = (author: Author) =>
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
