import './explain.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Schema } from '../../core/api.ts'
import { findWord, type Word } from '../../core/help/words.ts'
import { useLink } from '../../core/link-seen.ts'
import { useData } from '../../core/use-data.ts'
import { useModule } from '../../core/use-module.ts'
import { Button } from '../controls/button.tsx'
import { Documentation } from './documentation.tsx'

/**
 * Draws a "?" that explains a measure as the glossary does: its meaning, formula, exports and columns, and source.
 *
 * @param of a term of the glossary, or one of its columns
 * @param name name of the measure on the page
 */
export function Explain({ of, name }: { of: string; name: string }) {
  return <QuestionMark name={name}>{() => <WordOf of={of} />}</QuestionMark>
}

/** Draws a "?" that explains a parameter with the server's description. */
export function ExplainParameter(props: { name: string; label: string; meaning: string; range: string }) {
  const { name, label, meaning, range } = props
  return (
    <QuestionMark name={label}>
      {() => (
        <dl>
          <dt>What it is</dt>
          <dd>{meaning}.</dd>
          <dt>Range</dt>
          <dd>{range}</dd>
          <dt>In exports and scripts</dt>
          <dd>
            parameter <code>{name}</code>; the column <code>notes</code> repeats it
          </dd>
          <More href={`/help?find=${name}`} />
        </dl>
      )}
    </QuestionMark>
  )
}

/** Links to the documentation, which visitors with a link can read, too. */
function More({ href }: { href: string }) {
  return (
    <>
      <dt>Read more</dt>
      <dd>
        <a href={href} target="_blank" rel="noreferrer">
          In the documentation (new tab)
        </a>
      </dd>
    </>
  )
}

/** Draws the button and its popover; Escape and a click elsewhere close it. */
function QuestionMark({ name, children }: { name: string; children: () => ComponentChildren }) {
  const id = useId().replaceAll(':', '')
  const button = useRef<HTMLButtonElement | null>(null)
  const note = useRef<HTMLDivElement | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    if (!isOpen || note.current === null || button.current === null) return
    place(note.current, button.current)
    note.current.focus()
    const close = () => note.current?.hidePopover()
    window.addEventListener('resize', close)
    return () => window.removeEventListener('resize', close)
  }, [isOpen])
  return (
    <span class="explain no-print">
      <button
        ref={button}
        type="button"
        class="question"
        popovertarget={id}
        aria-expanded={isOpen}
        aria-label={`What is ${name}?`}
      >
        <span aria-hidden="true">?</span>
      </button>
      <div
        ref={note}
        id={id}
        popover="auto"
        class="card note"
        role="dialog"
        aria-label={name}
        tabIndex={-1}
        onToggle={(event) => setIsOpen(event.newState === 'open')}
      >
        {isOpen && (
          <>
            <p class="note-head">
              <strong>{name}</strong>
              <Button class="quiet small" popovertarget={id} popovertargetaction="hide">
                Close
              </Button>
            </p>
            {children()}
          </>
        )}
      </div>
    </span>
  )
}

const EDGE_PX = 8

/** Places the popover within the window: below its button, or above if there is more room. */
function place(note: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect()
  const { offsetWidth: width } = note
  const left = Math.max(EDGE_PX, Math.min(at.left, innerWidth - width - EDGE_PX))
  const isBelow = at.bottom <= innerHeight / 2
  note.style.left = `${left}px`
  note.style.top = isBelow ? `${at.bottom + EDGE_PX}px` : 'auto'
  note.style.bottom = isBelow ? 'auto' : `${innerHeight - at.top + EDGE_PX}px`
  note.style.maxHeight = `${(isBelow ? innerHeight - at.bottom : at.top) - 2 * EDGE_PX}px`
}

const loadWords = () => import('virtual:docs-words')

function WordOf({ of }: { of: string }) {
  const { data, isMissing } = useModule(loadWords)
  if (isMissing) return <p role="alert">The explanation could not be loaded. Reload the page.</p>
  if (data === null) return <p>Loading …</p>
  const word = findWord(data.WORDS, of)
  if (word === undefined) return <p>The glossary has no entry for this term.</p>
  return (
    <dl>
      <dt>What it is</dt>
      <dd>
        <strong>{word.word}</strong>: <Documentation isInline html={word.meaning} />
      </dd>
      {word.formula !== '' && (
        <>
          <dt>Formula</dt>
          <dd>
            <Documentation isInline html={word.formula} />
          </dd>
        </>
      )}
      {word.columns.length > 0 && (
        <>
          <dt>Export and column</dt>
          <dd>
            <Columns word={word} of={of} />
          </dd>
        </>
      )}
      <dt>Source</dt>
      <dd>
        <Documentation isInline html={word.source} />
      </dd>
      <More href="/help/glossary" />
    </dl>
  )
}

/** Lists the exports with their columns; the export of the page also gets the server's description. */
function Columns({ word, of }: { word: Word; of: string }) {
  const shown = word.columns.find(({ column }) => column === of) ?? word.columns[0]
  const link = useLink()
  const schema = useData<Schema>(link === null ? `/api2/exports/${shown.export}/schema` : null)
  const field = schema.data?.fields.find(({ name }) => name === shown.column)
  const others = word.columns.filter((column) => column !== shown)
  return (
    <>
      <code>{shown.column}</code> in <code>{shown.export}</code>
      {field !== undefined && (
        <>
          : {field.description}
          {field.unit !== null && ` (${field.unit})`}
        </>
      )}
      {others.length > 0 && (
        <ul>
          {others.map(({ export: name, column }) => (
            <li key={`${name} ${column}`}>
              <code>{column}</code> in <code>{name}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
