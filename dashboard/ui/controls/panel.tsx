import type { ComponentChildren } from 'preact'
import { SETTINGS_PLACE } from '../../core/open-settings.ts'

type PanelProps = {
  title: ComponentChildren
  /** Id of the heading; with it, the panel is a landmark of that name. */
  id?: string
  class?: string
  /** True for the settings of the page, which the strip opens. */
  isSettings?: boolean
  /** Drawn beside the heading. */
  side?: ComponentChildren
  children: ComponentChildren
}

/** Draws a section of a page below its heading. */
export function Panel({ title, id, class: look, isSettings = false, side, children }: PanelProps) {
  const heading = <h2 id={id}>{title}</h2>
  return (
    <section
      class={look === undefined ? 'card panel' : `card panel ${look}`}
      aria-labelledby={id}
      {...(isSettings ? SETTINGS_PLACE : {})}
    >
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
