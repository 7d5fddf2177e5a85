import type { ComponentChildren } from 'preact'

type PanelProps = {
  title: ComponentChildren
  /** The id of its heading, which makes it a landmark with this name. */
  id?: string
  class?: string
  /** What stands beside its heading. */
  side?: ComponentChildren
  children: ComponentChildren
}

/** Draws a part of a page below its heading. */
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
