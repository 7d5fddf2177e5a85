import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useId, useState } from 'preact/hooks'
import type { Item } from '../../core/api.ts'
import { seconds } from '../../core/number-texts.ts'
import type { Settings } from '../../core/view/chart-settings.ts'
import { NO_END, windowText } from '../../core/view/window-text.ts'
import { Button } from '../controls/button.tsx'

const STEPS = 100
const SECOND_MS = 1000

type Props = {
  item: Item
  /** Longest duration of the item's tests, if the study does not give the item's duration. */
  untilMs: number
  settings: Settings
  defaults: Settings
  onChange: (settings: Settings) => void
}

/** Time window of the charts below; null if the charts have none. */
export const ChartsWindow = createContext<Props | null>(null)

/** Draws the time window of a chart, folded; draws nothing if the charts have none. */
export function FoldedWindow() {
  const props = useContext(ChartsWindow)
  const [isOpen, setIsOpen] = useState(false)
  if (props === null) return null
  return (
    <details class="advanced window-fold no-print" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Time window: {windowText(props.settings) ?? 'whole'}</summary>
      {isOpen && <WindowSlider {...props} />}
    </details>
  )
}

/** Draws one figure above its time window; or all figures, which have it folded, below it. */
export function WithWindow({ isAll, children, ...window }: Props & { isAll: boolean; children: ComponentChildren }) {
  return (
    <>
      {isAll && <WindowSlider {...window} />}
      <ChartsWindow.Provider value={isAll ? window : null}>{children}</ChartsWindow.Provider>
      {!isAll && <WindowSlider {...window} />}
    </>
  )
}

/** Draws the time window in which fixations count, as two sliders; charts update when a slider is released. */
export function WindowSlider({ item, untilMs, settings, defaults, onChange }: Props) {
  const id = useId()
  const endMs = Math.ceil(item.stimuliDurationMs ?? Math.max(untilMs, limited(settings.toMs, 0), 1000))
  const given = { from: limited(settings.fromMs, 0), to: Math.min(endMs, limited(settings.toMs, endMs)) }
  const [moved, setMoved] = useState(given)
  useEffect(() => setMoved(given), [settings.fromMs, settings.toMs, endMs])
  const step = Math.max(1, Math.round(endMs / STEPS))
  const tell = ({ from, to }: typeof moved) => {
    const fromMs = from === 0 ? (defaults.fromMs === '' ? '' : '0') : String(from)
    const toMs = to >= endMs ? (defaults.toMs === '' ? '' : NO_END) : String(to)
    if (fromMs !== settings.fromMs || toMs !== settings.toMs) onChange({ ...settings, fromMs, toMs })
  }
  const slider = (end: 'from' | 'to', label: string, within: (ms: number) => typeof moved) => (
    <>
      <label for={`${id}-${end}`}>{label}</label>
      <input
        id={`${id}-${end}`}
        type="range"
        aria-keyshortcuts={end === 'to' ? 'T' : undefined}
        title={`${end === 'from' ? 'Start' : 'End'} of the time window; arrow keys move it, with Shift by 1 s`}
        min={0}
        max={endMs}
        step={step}
        value={moved[end]}
        aria-valuetext={`${moved[end]} ms`}
        onKeyDown={(event) => {
          const way = event.shiftKey
            ? { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key]
            : undefined
          if (way === undefined) return
          event.preventDefault()
          const next = within(Math.max(0, Math.min(endMs, moved[end] + way * SECOND_MS)))
          setMoved(next)
          tell(next)
        }}
        onInput={(event) => setMoved(within(Number(event.currentTarget.value)))}
        onChange={(event) => tell(within(Number(event.currentTarget.value)))}
      />
    </>
  )
  const isWhole = moved.from === 0 && moved.to >= endMs
  return (
    <fieldset class="window-slider">
      <legend>Time window</legend>
      {slider('from', 'From', (ms) => ({ from: Math.min(ms, moved.to - step), to: moved.to }))}
      {slider('to', 'To', (ms) => ({ from: moved.from, to: Math.max(Math.min(ms, endMs), moved.from + step) }))}
      <p class="hint">
        {isWhole
          ? `All fixations count: 0 to ${seconds(endMs)}.`
          : `Only fixations that begin between ${moved.from} and ${moved.to} ms after item onset count.`}{' '}
        {!isWhole && (
          <Button class="small" onClick={() => tell({ from: 0, to: endMs })}>
            Whole time
          </Button>
        )}
      </p>
    </fieldset>
  )
}

function limited(text: string, otherwise: number): number {
  return text === '' ? otherwise : Number(text)
}
