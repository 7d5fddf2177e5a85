import './search-dialog.css'
import { useState } from 'preact/hooks'
import type { SearchResults } from '../core/api.ts'
import { studyOfPath } from '../core/link-seen.ts'
import { isolate } from '../core/number-texts.ts'
import { useOneStop } from '../core/one-stop.ts'
import { usePlace } from '../core/router.ts'
import { useData } from '../core/use-data.ts'
import { carrying } from '../core/view/study-links.ts'
import { FoundSections } from '../pages/help/found-sections.tsx'
import { Find } from '../ui/controls/field.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Trouble } from '../ui/waiting/states.tsx'

/** Searches the names of studies, items, areas of interest and participants, and the documentation. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const [wanted, setWanted] = useState('')
  const stop = useOneStop<HTMLDivElement>('.found-names a, .found a')
  const isEmpty = wanted.trim() === ''
  // Names of an earlier search are not opened.
  const first = () =>
    stop.ref.current?.querySelector<HTMLAnchorElement>('.found-names:not([aria-busy=true]) a, .found a') ?? null
  const move = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') first()?.focus()
    else if (event.key === 'Enter') first()?.click()
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Search" onClose={onClose}>
      <search onKeyDown={(event) => event.target instanceof HTMLInputElement && move(event)}>
        <Find isFocused label="Studies, items, areas, participants, help" value={wanted} onText={setWanted} />
      </search>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the clicks are those of links, which keys make too */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div class="search-results" {...stop} onClick={(event) => (event.target as Element).closest('a') && onClose()}>
        {isEmpty ? (
          <p class="hint">Enter opens the first; arrow keys move.</p>
        ) : (
          <>
            <FoundNames wanted={wanted.trim()} />
            <FoundSections wanted={wanted} most={4} />
          </>
        )}
      </div>
    </Dialog>
  )
}

/** Lists the names that the server finds, with where each is. */
function FoundNames({ wanted }: { wanted: string }) {
  const here = usePlace()
  const studyId = studyOfPath(here.path)
  const query = new URLSearchParams({ q: wanted, ...(studyId === null ? {} : { studyId }) })
  const { data, isFresh, problem, retry } = useData<SearchResults>(`/api2/search?${query}`, 0, 'search')
  if (problem !== null) return <Trouble problem={problem} retry={retry} />
  if (data === null) return <p class="hint">Searching …</p>
  // Within the study of the page, tests and settings stay as they are.
  const to = (id: string, page: string, more = {}) =>
    id === studyId ? carrying(here, `/studies/${id}${page}`, more) : addressOf(`/studies/${id}${page}`, more)
  const shown = Object.entries(entriesOf(data, to)).filter(([, entries]) => entries.length > 0)
  return (
    <div class="found-names" aria-busy={!isFresh}>
      <p class="hint" role="status">
        {shown.length === 0
          ? 'No name contains all of these words.'
          : data.hasMore
            ? 'More names fit; add a word.'
            : ''}
      </p>
      {shown.map(([title, entries]) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <ul>
            {entries.map(([href, name, where]) => (
              <li key={href + name}>
                <a href={href}>
                  <bdi>{name}</bdi>
                </a>{' '}
                <span class="hint">
                  <bdi>{where}</bdi>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

type Entry = [href: string, name: string, where: string]

/** Returns what was found, by its kind. @param to returns the address of a page of a study */
function entriesOf(
  { studies, items, aois, participants }: SearchResults,
  to: (studyId: string, page: string, more?: Record<string, string>) => string,
): Record<string, Entry[]> {
  return {
    Studies: studies.map(({ studyId, name, isArchived }) => [to(studyId, ''), name, isArchived ? 'archived' : '']),
    Items: items.map(({ studyId, itemId, name, studyName }) => [to(studyId, `/items/${itemId}`), name, studyName]),
    'Areas of interest': aois.map(({ studyId, itemId, name, itemName, studyName }) => [
      to(studyId, `/items/${itemId}`, { figure: 'aois' }),
      name,
      `${isolate(itemName)}, ${isolate(studyName)}`,
    ]),
    'Participants of this study': participants.map(({ studyId, participantId, name }) => [
      to(studyId, '/quality', { participant: participantId }),
      name,
      '',
    ]),
  }
}

function addressOf(path: string, more: Record<string, string>): string {
  const query = new URLSearchParams(more)
  return query.size === 0 ? path : `${path}?${query}`
}
