import { useOneStop } from '../../core/one-stop.ts'
import { Explain } from './explain.tsx'

/** Name of a measure on a page, and its term or column in the glossary. */
export type Explained = { name: string; of: string }

/** Draws a line of measures, each with a "?", as one stop of Tab. */
export function Explanations({ of }: { of: Explained[] }) {
  return <ExplainedList of={of} {...useOneStop<HTMLUListElement>('.question')} />
}

type ExplainedListProps = { of: Explained[] } & Partial<ReturnType<typeof useOneStop<HTMLUListElement>>>

/** Draws a line of measures, each with a "?". */
export function ExplainedList({ of, ...stop }: ExplainedListProps) {
  return (
    <ul class="explanations no-print" aria-label="Explanations" {...stop}>
      {of.map((each) => (
        <li key={each.name}>
          {each.name} <Explain {...each} />
        </li>
      ))}
    </ul>
  )
}
