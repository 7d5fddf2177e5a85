import type { Study } from '../../core/api.ts'
import type { People } from '../../core/people/people.ts'
import { setQuery } from '../../core/router.ts'
import { toggled } from '../../core/toggled.ts'
import { type Contents, contentsQuery, moved, PARTS, SECTIONS, USUAL } from '../../core/view/report-contents.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Check } from '../../ui/controls/choice.tsx'
import { BoardEditor } from './board-editor.tsx'
import { KeepContents } from './kept-contents.tsx'
import { Movers } from './movers.tsx'
import { OwnWords } from './own-words.tsx'

/** Draws the choice and order of a report's sections, which the address keeps, and its own title, text and logo. */
export function ContentsPanel({ study, people, contents, logo, onLogo }: ContentsPanelProps) {
  const change = (next: Partial<Contents>) => setQuery(contentsQuery({ ...contents, ...next }))
  return (
    <details class="card panel contents no-print">
      <summary>Contents, own text and logo</summary>
      <div class="contents-lists">
        <Ordered
          title="Sections"
          names={SECTIONS}
          list={contents.sections}
          onChange={(sections) => change({ sections })}
        />
        <Ordered title="Of each item" names={PARTS} list={contents.parts} onChange={(parts) => change({ parts })} />
        <BoardEditor {...{ study, people, contents }} />
      </div>
      <p class="row">
        <Button class="small" onClick={() => change(USUAL)}>
          Default contents
        </Button>
        <KeepContents />
        <span class="hint">
          The address keeps contents, title and text, so that a link shows the same report. To add groups, press “Put in
          report” on the page “Groups”.
        </span>
      </p>
      <OwnWords logo={logo} onLogo={onLogo} />
    </details>
  )
}

type ContentsPanelProps = {
  study: Study
  people: People
  contents: Contents
  logo: string | null
  onLogo: (logo: string | null) => void
}

type OrderedProps<Name extends string> = {
  title: string
  names: Record<Name, string>
  list: Name[]
  onChange: (list: Name[]) => void
}

/** Draws checkboxes in the order of the report; buttons move the checked ones. */
function Ordered<Name extends string>({ title, names, list, onChange }: OrderedProps<Name>) {
  const all = Object.keys(names) as Name[]
  const shown = [...list, ...all.filter((name) => !list.includes(name))]
  return (
    <fieldset>
      <legend>{title}</legend>
      <ol>
        {shown.map((name) => {
          const place = list.indexOf(name)
          return (
            <li key={name} class="row">
              <Check isOn={place >= 0} onChange={() => onChange(toggled(list, name))}>
                {names[name]}
              </Check>
              {place >= 0 && (
                <Movers
                  name={names[name]}
                  {...{ place }}
                  n={list.length}
                  onMove={(by) => onChange(moved(list, name, by))}
                />
              )}
            </li>
          )
        })}
      </ol>
    </fieldset>
  )
}
