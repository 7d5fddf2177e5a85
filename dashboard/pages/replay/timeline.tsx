import type { Ref } from 'preact'
import { useTheme } from '../../core/colors/theme.ts'
import { useWidth } from '../../figures/figure.tsx'
import { LEFT, RIGHT, Scarf, type ScarfData } from '../../figures/scarf.tsx'
import { Scrolling } from '../../ui/scrolling.tsx'

/** Number of rows that are visible without scrolling. */
const ROWS_IN_SIGHT = 12

export type PlayedFixations = Omit<ScarfData, 'fromMs' | 'zero' | 'ranks'>

type TimelineProps = PlayedFixations & {
  /** Events of the tests that play. */
  events: { tMs: number; name: string; value: string }[]
  /** Line at the current time, which the player moves. */
  head: Ref<HTMLDivElement>
  onSeek: (tMs: number) => void
}

/**
 * Draws the scarf plot as a timeline: a line shows the current time, and a click seeks. Keyboards use the time slider
 * above.
 */
export function ReplayTimeline(props: TimelineProps) {
  const { fixations, aois, chosen, paint, names, untilMs, events, head, onSeek } = props
  const { colors } = useTheme()
  const [box, width] = useWidth()
  const seek = (event: MouseEvent) => {
    const { left } = box.current!.getBoundingClientRect()
    onSeek(((event.clientX - left - LEFT) / (width - LEFT - RIGHT)) * untilMs)
  }
  const drawing = (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys have the slider of time, which does the same
    // biome-ignore lint/a11y/noStaticElementInteractions: as above
    <div class="timeline" onClick={seek}>
      {width > 0 && (
        <Scarf
          data={{ fixations, aois, chosen, paint, names, untilMs, ranks: aois.map((_, a) => a) }}
          {...{ width, colors }}
          marksEvents={false}
        />
      )}
      <div class="playhead-track" style={{ left: `${LEFT}px`, right: `${RIGHT}px` }} aria-hidden="true">
        {events.map(({ tMs, name, value }, i) => (
          <div
            key={i}
            class="event-mark"
            style={{ left: `${((100 * tMs) / untilMs).toFixed(3)}%` }}
            title={value === '' ? name : `${name}: ${value}`}
          />
        ))}
        <div class="playhead" ref={head} />
      </div>
    </div>
  )
  return (
    <div ref={box} class="drawing">
      {fixations.tests.length > ROWS_IN_SIGHT ? (
        <Scrolling class="timeline-scroll" label="Scarf plot of the tests that are played">
          {drawing}
        </Scrolling>
      ) : (
        drawing
      )}
    </div>
  )
}
