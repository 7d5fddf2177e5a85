import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Study } from '../../core/api.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { type AboutDraft, AboutForm, type AuthorDraft } from './about-form.tsx'

/** Shows the authors of a study and how others may use and cite it; users who may write can edit it. */
export function AboutStudy({ study, mayWrite, onSaved }: { study: Study; mayWrite: boolean; onSaved: () => void }) {
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

const LISTS = [
  ['Funding', 'funding'],
  ['Ethics', 'ethics'],
  ['References', 'references'],
] as const

function AboutFacts({ about }: { about: AboutDraft }) {
  const { description, keywords, authors = [], license, doi } = about
  return (
    <dl>
      {description !== undefined && (
        <Fact title="Description" class="prose">
          <bdi>{description}</bdi>
        </Fact>
      )}
      {keywords !== undefined && (
        <Fact title="Keywords">
          <bdi>{keywords.join(', ')}</bdi>
        </Fact>
      )}
      {authors.length > 0 && <ListFact title="Authors" of={authors.map(authorLine)} />}
      {license !== undefined && (
        <Fact title="Licence">
          <a href={`https://spdx.org/licenses/${license}.html`}>{license}</a>
        </Fact>
      )}
      {doi !== undefined && (
        <Fact title="DOI">
          <a href={`https://doi.org/${doi}`}>{doi}</a>
        </Fact>
      )}
      {LISTS.map(([title, key]) =>
        about[key] === undefined ? null : (
          <ListFact key={key} title={title} of={about[key].map((line) => <bdi>{line}</bdi>)} />
        ),
      )}
    </dl>
  )
}

function Fact({ title, class: look, children }: { title: string; class?: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{title}</dt>
      <dd class={look}>{children}</dd>
    </>
  )
}

function ListFact({ title, of }: { title: string; of: ComponentChildren[] }) {
  return (
    <Fact title={title}>
      <ul class="bulleted">
        {of.map((line, i) => (
          <li key={i}>{line}</li>
        ))}
      </ul>
    </Fact>
  )
}

function authorLine(author: AuthorDraft) {
  const { affiliation, orcid } = author
  return (
    <>
      <bdi>{nameOf(author)}</bdi>
      {affiliation && (
        <>
          , <bdi>{affiliation}</bdi>
        </>
      )}
      {orcid && (
        <>
          {' '}
          (<a href={`https://orcid.org/${orcid}`}>{orcid}</a>)
        </>
      )}
    </>
  )
}

function nameOf({ givenName, familyName, name }: AuthorDraft): string {
  return familyName === undefined ? (name ?? '') : [givenName, familyName].filter(Boolean).join(' ')
}
