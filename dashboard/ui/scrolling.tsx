import type { ComponentChildren } from 'preact'

/** Draws a part that scrolls by itself: it can be reached by keyboard and has a label. */
export function Scrolling({
  label,
  class: classes,
  children,
}: {
  label: string
  class: string
  children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, keys could not scroll it (WCAG 2.1.1)
    <section class={classes} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
