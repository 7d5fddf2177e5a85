import { useMemo, useState } from 'preact/hooks'
import type { Aoi, FixationRow, FixationsData } from '../core/api.ts'
import { type AoiPaint, inkOn, NO_AOI } from '../core/colors/aoi-colors.ts'
import type { Colors } from '../core/colors/theme.ts'
import { countOf, isolate, wholeText } from '../core/number-texts.ts'
import { whoOf } from '../core/people/people.ts'
import { AXIS_PX } from '../ui/chart/axis.tsx'
import { useInks } from '../ui/chart/drawing.tsx'
import { PlotDrawing, useFrame } from '../ui/chart/plot.tsx'
import type { Scale } from '../ui/chart/scale.ts'
import { cutTo, Words } from '../ui/chart/words.tsx'
import type { Explained } from '../ui/help/explanations.tsx'
import { shownAoi } from './aoi-order.tsx'

export type ScarfData = {
  fixations: FixationsData
  aois: Aoi[]
  /** Indexes of the AOIs with a colour of their own. */
  chosen: number[]
  paint: AoiPaint
  names: Map<string, string>
  untilMs: number
  /** Start of the axis, 0 or less, and the moment of 0 s in words; item onset by default. */
  fromMs?: number
  zero?: string
  /** Rank of each AOI: a fixation in several AOIs belongs to the one that ranks first. */
  ranks: number[]
}

/** Margins for the names before the bars and after them, in px. */
export const LEFT = 96
export const RIGHT = 12
const TOP = 8
const DIGIT_PX = 6.5
const FADED = 0.18

/** Returns the height of a row: room for a number in each bar, unless the picture would be too large to save. */
function rowHeight(n: number): number {
  return n <= 30 ? 20 : n <= 500 ? 13 : 7
}

/** Bars by AOI, and those outside all AOIs; `marks` are the digits of the numbers, each with its place. */
type Bars = { paths: string[]; outside: string; marks: { digits: string; x: string[]; y: number[] }[] }

type ScarfProps = {
  data: ScarfData
  width: number
  colors: Colors
  /** Called with the participant of a row that is pressed. */
  onRow?: (participantId: string) => void
  /** False if another part of the page marks the events. */
  marksEvents?: boolean
}

/** Terms that a scarf plot shows. */
export const SCARF_WORDS: Explained[] = [
  { of: 'fixation', name: 'Fixation' },
  { of: 'AOI', name: 'AOI' },
]

/**
 * Draws tests × time: each fixation in the colour of its AOI, with its number if there is room. It has one path and one
 * text per AOI, whatever the number of tests.
 */
export function Scarf({ data, width, colors, onRow = () => {}, marksEvents = true }: ScarfProps) {
  const { fromMs = 0, zero = 'item onset' } = data
  const { tests } = data.fixations
  const each = rowHeight(tests.length)
  const [pointed, setPointed] = useState<Pointed | null>(null)
  return (
    <PlotDrawing
      {...{ width, colors }}
      left={LEFT}
      right={RIGHT}
      top={TOP}
      plotPx={tests.length * each}
      label={`Scarf plot of ${countOf(tests.length, 'test')} over time, coloured by area of interest`}
      x={{ of: [fromMs / 1000, data.untilMs / 1000], label: `Time from ${cutTo(zero, width - LEFT - 160)}, s` }}
      onPoint={(at, { x }, { type }) => {
        if (at === null) return setPointed(null)
        const ms = x.invert(at.x) * 1000
        const row = Math.floor((at.y - TOP) / each)
        const f = tests[row]?.fixations.findIndex(([, , startMs, endMs]) => ms >= startMs && ms <= endMs) ?? -1
        setPointed((before) => (f < 0 ? null : before?.row === row && before.f === f ? before : { row, f }))
        if (type === 'pointerdown' && tests[row] !== undefined) onRow(tests[row].participantId)
      }}
    >
      <Rows {...{ data, each, marksEvents, pointed }} width={width} />
    </PlotDrawing>
  )
}

/** Fixation under the pointer: its row, and its index in the row. */
type Pointed = { row: number; f: number }
type RowsProps = { data: ScarfData; each: number; marksEvents: boolean; pointed: Pointed | null; width: number }

function Rows({ data, each, marksEvents, pointed, width }: RowsProps) {
  const { aois, chosen, paint, names, untilMs, fromMs = 0, ranks } = data
  const { tests } = data.fixations
  const { x } = useFrame()
  const { ink } = useInks()
  const bars = useMemo(() => barsOf(data, x, each), [tests, chosen.join(), ranks.join(), width, fromMs, untilMs, aois])
  const marks = useMemo(
    () => (marksEvents ? eventMarks(tests, x, each, { fromMs, untilMs }) : ''),
    [marksEvents, tests, width, fromMs, untilMs, each],
  )
  const nameOf = (row: number) => whoOf({ names }, tests[row].participantId)
  const tipped = pointed && tests[pointed.row]?.fixations[pointed.f]
  return (
    <>
      <BarShapes bars={bars} aois={aois} paint={paint} each={each} />
      {marksEvents && <path class="events" d={marks} stroke={ink} stroke-width="1.5" />}
      <RowNames names={tests.map((_, row) => nameOf(row))} each={each} />
      {tipped && (
        <Tip
          lines={tipLines(tipped, nameOf(pointed.row), pointed.f, aois)}
          x={x((tipped[2] + tipped[3]) / 2000)}
          y={TOP + pointed.row * each}
          below={each}
          width={width}
        />
      )}
    </>
  )
}

/** Draws the names before the bars; every fifth if rows are low. */
function RowNames({ names, each }: { names: string[]; each: number }) {
  const every = each >= 12 ? 1 : 5
  return names.map((name, row) =>
    row % every > 0 ? null : (
      <Words
        key={row}
        x={LEFT - 8}
        y={TOP + row * each + each / 2 + 4}
        anchor="end"
        fontPx={each >= 18 ? 12 : 10}
        isMuted
      >
        {isolate(cutTo(name, LEFT - 12))}
      </Words>
    ),
  )
}

/** Returns the bars of all fixations, in px. @param each height of a row */
function barsOf({ fixations: { tests }, aois, chosen, ranks }: ScarfData, x: Scale, each: number): Bars {
  const marks = aois.map(() => ({ digits: '', x: [] as string[], y: [] as number[] }))
  const bars: Bars = { paths: aois.map(() => ''), outside: '', marks }
  for (const [row, { fixations }] of tests.entries()) {
    for (const fixation of fixations) {
      const from = x(fixation[2] / 1000)
      const wide = Math.max(1, x(fixation[3] / 1000) - from)
      const y = TOP + row * each + 1
      const box = `M${from.toFixed(1)} ${y}h${wide.toFixed(1)}v${each - 2}h-${wide.toFixed(1)}z`
      const a = shownAoi(fixation, chosen, ranks)
      if (a === undefined) bars.outside += box
      else bars.paths[a] += box
      const number = a === undefined || each < 12 ? '' : String(a + 1)
      if (number === '' || wide < number.length * DIGIT_PX + 2) continue
      for (const [i, digit] of [...number].entries()) {
        marks[a!].digits += digit
        marks[a!].x.push((from + wide / 2 + (i - (number.length - 1) / 2) * DIGIT_PX).toFixed(1))
        marks[a!].y.push(y + each / 2 + 2.5)
      }
    }
  }
  return bars
}

type Span = { fromMs: number; untilMs: number }

/** Returns a line across the row of a test for each of its events, in px. */
function eventMarks(tests: FixationsData['tests'], x: Scale, each: number, { fromMs, untilMs }: Span): string {
  return tests
    .flatMap(({ events = [] }, row) =>
      events
        .filter(([tMs]) => tMs >= fromMs && tMs <= untilMs)
        .map(([tMs]) => `M${x(tMs / 1000).toFixed(1)} ${TOP + row * each}v${each}`),
    )
    .join('')
}

type BarShapesProps = { bars: Bars; aois: Aoi[]; paint: AoiPaint; each: number }

function BarShapes({ bars: { paths, outside, marks }, aois, paint, each }: BarShapesProps) {
  const opacityOf = (a: number | null) => (paint.lit === null || paint.lit === a ? 1 : FADED)
  return (
    <>
      <path d={outside} fill={NO_AOI} fill-opacity={opacityOf(null)} />
      {paths.map((path, a) =>
        path === '' ? null : (
          <path key={aois[a].id} data-aoi={a + 1} d={path} fill={paint.colors[a]} fill-opacity={opacityOf(a)} />
        ),
      )}
      <g font-size={each >= 18 ? 11 : 9} font-weight="600" text-anchor="middle">
        {marks.map(({ digits, x: xs, y }, a) =>
          digits === '' ? null : (
            <text
              key={aois[a].id}
              data-mark={a + 1}
              x={xs.join(' ')}
              y={y.join(' ')}
              fill={inkOn(paint.colors[a])}
              fill-opacity={opacityOf(a)}
            >
              {digits}
            </text>
          ),
        )}
      </g>
    </>
  )
}

function tipLines([, , startMs, endMs, , , , ...inAois]: FixationRow, name: string, f: number, aois: Aoi[]): string[] {
  const where = inAois.map((a) => `${a + 1} ${isolate(cutTo(aois[a].name, 220))}`)
  return [
    `${isolate(cutTo(name, 180))}, fixation ${f + 1}`,
    `${wholeText(startMs)} to ${wholeText(endMs)} ms (${wholeText(endMs - startMs)} ms)`,
    ...(where.length === 0 ? ['in no AOI'] : where),
  ]
}

/** Draws a tooltip above a place, or below it if there is no room, within the drawing. */
function Tip({ lines, x, y, below, width }: { lines: string[]; x: number; y: number; below: number; width: number }) {
  const { bottom } = useFrame()
  const { surface, muted } = useInks()
  const wide = Math.max(...lines.map((line) => line.length)) * 6.8 + 20
  const high = lines.length * 17 + 11
  const left = Math.max(2, Math.min(width - wide - 2, x - wide / 2))
  const top = y - high - 4 >= 0 ? y - high - 4 : Math.min(bottom + AXIS_PX - high - 2, y + below + 4)
  return (
    <g class="tip" transform={`translate(${left.toFixed(1)},${top})`} pointer-events="none">
      <rect width={wide} height={high} rx="5" fill={surface} stroke={muted} />
      {lines.map((line, i) => (
        <Words key={i} x={10} y={20 + i * 17} isStrong={i === 0}>
          {line}
        </Words>
      ))}
    </g>
  )
}
