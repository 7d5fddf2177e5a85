import { useRef } from 'preact/hooks'
import type { Aoi, AoiPart, Item } from '../../core/api.ts'
import { isolate } from '../../core/number-texts.ts'
import { Check } from '../../ui/controls/choice.tsx'
import { Field } from '../../ui/controls/field.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { withPart } from './draft/draft.ts'
import type { EditorParts } from './draft/edits.ts'

type Props = Omit<EditorParts, 'apply'> & {
  colors: string[]
  /** Time at which AOIs are shown; null for all times. */
  tMs: number | null
  setT: (tMs: number | null) => void
}

const UNKNOWN_SPAN_MS = 10_000

/**
 * Shows the time range of each part. Bars can be dragged, by an end or as a whole; keyboards use the fields of the
 * selected AOI.
 */
export function EditorTimeline(props: Props) {
  const { draft, item, tMs, setT } = props
  const { aois, selected } = draft
  const spanMs = rangeSpan(aois, item)
  const rows: TimedPart[] = aois.flatMap((aoi, a) =>
    aoi.parts.flatMap((part, p) => (part.timeRange || aoi.id === selected?.id ? [{ aoi, a, part, p }] : [])),
  )
  return (
    <Panel
      title="Times"
      id="aoi-times"
      class="timeline"
      side={
        <Check isOn={tMs === null} onChange={() => setT(tMs === null ? 0 : null)}>
          Show all times
        </Check>
      }
    >
      <Field class="timeline-row" label={tMs === null ? 'Time' : `${tMs} ms`}>
        <input
          type="range"
          min={0}
          max={spanMs}
          step={10}
          value={tMs ?? 0}
          aria-label="Time at which AOIs are shown"
          aria-valuetext={tMs === null ? 'all times' : `${tMs} ms`}
          onInput={({ currentTarget: { value } }) => setT(Number(value))}
        />
      </Field>
      {linesOf(rows).map((line) => (
        <TimeLine key={`${line[0].aoi.id} ${line[0].p}`} {...props} line={line} spanMs={spanMs} />
      ))}
      {rows.length === 0 && <p class="hint">All AOIs always count. Select one to limit its time.</p>}
    </Panel>
  )
}

/** Above this number of parts, as for a moving AOI, all share one line. */
const PARTS_APART = 8

/** Returns the lines of parts. */
function linesOf(rows: TimedPart[]): TimedPart[][] {
  const lines: TimedPart[][] = []
  for (const row of rows) {
    const last = lines.at(-1)
    if (last !== undefined && last[0].aoi === row.aoi && row.aoi.parts.length > PARTS_APART) last.push(row)
    else lines.push([row])
  }
  return lines
}

/** Returns the duration of the timeline: that of the item, or until the last part ends. */
export function rangeSpan(aois: Aoi[], { stimuliDurationMs }: Item): number {
  const ends = aois.flatMap(({ parts }) => parts.map(({ timeRange }) => timeRange?.toMs ?? 0))
  return Math.max(stimuliDurationMs ?? UNKNOWN_SPAN_MS, ...ends)
}

type TimedPart = { aoi: Aoi; a: number; part: AoiPart; p: number }

/** Draws the name of an AOI, and bars for one of its parts or for all. */
function TimeLine({ line, ...of }: Props & { line: TimedPart[]; spanMs: number }) {
  const [{ aoi, a, p }] = line
  const isOne = line.length === 1
  return (
    <div class="timeline-row">
      <span title={isolate(aoi.name)}>
        {a + 1}
        {isOne && aoi.parts.length > 1 && `.${p + 1}`} <bdi>{aoi.name}</bdi>
      </span>
      <div class={`timeline-track${isOne ? '' : ' many'}`}>
        {line.map((timed) => (
          <TimeBar key={timed.p} {...of} {...timed} />
        ))}
      </div>
    </div>
  )
}

type Held = { end: 'from' | 'to' | 'both'; clientX: number; fromMs: number; toMs: number; aois: Aoi[] }

function TimeBar({ aoi, a, part, p, spanMs, colors, draft, dispatch }: Props & TimedPart & { spanMs: number }) {
  const held = useRef<Held | null>(null)
  const { fromMs, toMs } = part.timeRange ?? { fromMs: 0, toMs: spanMs }
  const percent = (ms: number) => `${(100 * Math.min(spanMs, Math.max(0, ms))) / spanMs}%`
  const selected = { id: aoi.id, part: p, corner: null }
  const down = (event: PointerEvent) => {
    const end = ((event.target as HTMLElement).dataset.end ?? 'both') as Held['end']
    ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    dispatch({ do: 'select', selected })
    held.current = { end, clientX: event.clientX, fromMs, toMs, aois: draft.aois }
  }
  const move = (event: PointerEvent) => {
    const { current } = held
    if (current === null) return
    const track = (event.currentTarget as HTMLElement).parentElement!
    const byMs = Math.round((((event.clientX - current.clientX) / track.clientWidth) * spanMs) / 10) * 10
    const timeRange = draggedTo(current, byMs)
    dispatch({ do: 'drag', aois: withPart(current.aois, selected, (own) => ({ ...own, timeRange })), selected })
  }
  const up = () => {
    held.current = null
    dispatch({ do: 'settle' })
  }
  return (
    <div
      class="timeline-bar"
      style={{ left: percent(fromMs), width: `calc(${percent(toMs)} - ${percent(fromMs)})`, background: colors[a] }}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
    >
      <i data-end="from" />
      <i data-end="to" />
    </div>
  )
}

const LEAST_MS = 10

function draggedTo({ end, fromMs, toMs }: Held, byMs: number): { fromMs: number; toMs: number } {
  if (end === 'from') return { fromMs: Math.min(toMs - LEAST_MS, fromMs + byMs), toMs }
  if (end === 'to') return { fromMs, toMs: Math.max(fromMs + LEAST_MS, toMs + byMs) }
  return { fromMs: fromMs + byMs, toMs: toMs + byMs }
}
