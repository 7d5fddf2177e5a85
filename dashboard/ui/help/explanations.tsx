import { useOneStop } from '../../core/one-stop.ts'
import { Explain } from './explain.tsx'

/** Name of a measure on a page, and its term or column in the glossary. */
export type Explained = { name: string; of: string }

/** Draws a line of measures, each with a "?", below a chart whose labels are part of the drawing. */
export function Explanations({ of }: { of: Explained[] }) {
  const stop = useOneStop<HTMLUListElement>('.question')
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
