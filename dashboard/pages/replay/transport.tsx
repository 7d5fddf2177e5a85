import type { Ref } from 'preact'
import { setQuery } from '../../core/router.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Check, Chips, Choice } from '../../ui/controls/choice.tsx'
import { numberOptions } from '../../ui/controls/options.ts'
import type { Shown } from './draw-moment.ts'
import { SPEEDS } from './playback.ts'

export const TRAILS_MS = [0, 500, 1000, 2000, 5000]

const SHOWN_LABELS: Record<keyof Shown, string> = {
  gaze: 'Gaze',
  mouse: 'Mouse and clicks',
  aois: 'AOIs',
  window: 'Window on a scrolled page',
}

type TimeSliderProps = {
  slider: Ref<HTMLInputElement>
  untilMs: number
  /** Called while the slider is dragged. */
  seek: (tMs: number) => void
  /** Called when the slider is released. */
  goTo: (tMs: number) => void
  onStep: (frames: number) => void
}

export function TimeSlider({ slider, untilMs, seek, goTo, onStep }: TimeSliderProps) {
  return (
    <input
      ref={slider}
      type="range"
      class="time"
      aria-label="Time"
      min={0}
      max={untilMs}
      step="any"
      onKeyDown={(event) => {
        const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
        if (way === undefined) return
        event.preventDefault()
        onStep(way)
      }}
      onInput={(event) => seek(Number(event.currentTarget.value))}
      onChange={(event) => goTo(Number(event.currentTarget.value))}
    />
  )
}

type ShownChipsProps = { shown: Shown; hasAois: boolean; onChange: (shown: Shown) => void }

export function ShownChips({ shown, hasAois, onChange }: ShownChipsProps) {
  return (
    <Chips legend="Show over the picture">
      {(Object.keys(SHOWN_LABELS) as (keyof Shown)[]).map((name) => (
        <Check
          key={name}
          isOn={shown[name]}
          disabled={name === 'aois' && !hasAois}
          onChange={() => onChange({ ...shown, [name]: !shown[name] })}
        >
          {SHOWN_LABELS[name]}
        </Check>
      ))}
    </Chips>
  )
}

type TransportProps = {
  isPlaying: boolean
  speed: number
  trailMs: number
  moves: Record<string, () => void>
  clock: Ref<HTMLOutputElement>
  onSpeed: (speed: number) => void
  onTrail: (trailMs: number) => void
}

/** Draws the controls below the picture. @param moves actions by key */
export function Transport({ isPlaying, speed, trailMs, moves, clock, onSpeed, onTrail }: TransportProps) {
  return (
    <div class="row transport">
      <Button class="primary play" onClick={moves.k} title="Space or K">
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <Button aria-label="One frame back" title="Comma" onClick={moves[',']}>
        ‹
      </Button>
      <Button aria-label="One frame forward" title="Full stop" onClick={moves['.']}>
        ›
      </Button>
      <Button class="small" title="<" onClick={moves['<']}>
        Previous sample
      </Button>
      <Button class="small" title=">" onClick={moves['>']}>
        Next sample
      </Button>
      <Choice
        isInline
        label="Speed"
        value={speed}
        of={numberOptions(SPEEDS, (each) => `${each} ×`)}
        onChange={(value) => {
          onSpeed(value)
          setQuery({ speed: value === 1 ? null : String(value) })
        }}
      />
      <Choice
        isInline
        label="Trail"
        value={trailMs}
        of={numberOptions(TRAILS_MS, (each) => (each === 0 ? 'none' : `${each / 1000} s`))}
        onChange={(value) => {
          onTrail(value)
          setQuery({ trail: value === 1000 ? null : String(value) })
        }}
      />
      <output class="clock" ref={clock} aria-live="off" />
    </div>
  )
}
