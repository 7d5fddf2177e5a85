import { Explain } from './explain.tsx'

/** A measure as a page calls it, and its term or column in the glossary. */
export type Explained = { name: string; of: string }

/** Draws a line of measures with a "?" each, below a chart whose texts are part of the drawing. */
export function Explanations({ of }: { of: Explained[] }) {
  return (
    <ul class="explanations no-print" aria-label="Explanations">
      {of.map((each) => (
        <li key={each.name}>
          {each.name} <Explain {...each} />
        </li>
      ))}
    </ul>
  )
}
