import type { ComponentChildren } from 'preact'

type PanelProps = {
  title: ComponentChildren
  /** Id of the heading; with it, the panel is a landmark of that name. */
  id?: string
  class?: string
  /** Drawn beside the heading. */
  side?: ComponentChildren
  children: ComponentChildren
}

/** Draws a section of a page below its heading. */
export function Panel({ title, id, class: look, side, children }: PanelProps) {
  const heading = <h2 id={id}>{title}</h2>
  return (
    <section class={look === undefined ? 'card panel' : `card panel ${look}`} aria-labelledby={id}>
      {side === undefined ? (
        heading
      ) : (
        <div class="panel-head">
          {heading}
          {side}
        </div>
      )}
      {children}
    </section>
  )
}
