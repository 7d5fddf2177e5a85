import type { ComponentChildren } from 'preact'

type ScrollingProps = { label: string; class: string; children: ComponentChildren }

/** Draws a scrolling region with a label, which the keyboard can reach. */
export function Scrolling({ label, class: classes, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, keys could not scroll it (WCAG 2.1.1)
    <section class={classes} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
