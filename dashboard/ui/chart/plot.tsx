import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { AXIS_PX, AxisBottom, type AxisCounts, AxisLeft, COUNTS_PX } from './axis.tsx'
import { Drawing, type DrawingProps } from './drawing.tsx'
import { type Frame, type FrameProps, frameOf } from './frame.ts'

const Framed = createContext<Frame | null>(null)

/** Returns the frame of the plot that a mark is part of. */
export function useFrame(): Frame {
  return useContext(Framed)!
}

type PlotProps = FrameProps & {
  /** Rows of counts under the axis, the first on top. */
  counts?: AxisCounts[]
  children: ComponentChildren
}

/**
 * Draws marks in a frame of axes; one of several plots of a drawing. A plot within another that has no axis along the
 * bottom shares the other's.
 */
export function Plot({ counts = [], children, ...props }: PlotProps) {
  const outer = useContext(Framed)
  const own = frameOf(props)
  const frame = props.x === undefined && outer !== null ? { ...own, x: outer.x } : own
  return (
    <Framed.Provider value={frame}>
      {props.x !== undefined && <AxisBottom axis={props.x} {...{ frame, counts }} />}
      {props.y !== undefined && <AxisLeft axis={props.y} frame={frame} />}
      {children}
    </Framed.Provider>
  )
}

/** Returns the room under a plot for its axis and its counts, in px. */
export function belowPx({ x, counts = [] }: Pick<PlotProps, 'x' | 'counts'>): number {
  return (x === undefined ? 0 : AXIS_PX) + counts.length * COUNTS_PX
}

type ChartProps = PlotProps &
  Pick<DrawingProps, 'label' | 'colors' | 'class'> & {
    /** Room under the plot, px, for what its marks write there. */
    below?: number
    onPoint?: (at: { x: number; y: number } | null, frame: Frame, event: PointerEvent) => void
  }

/** Draws one plot: its marks are its children, which read their scales by `useFrame` and their colours by `useInks`. */
export function PlotDrawing({ label, colors, class: look, below, onPoint, children, ...plot }: ChartProps) {
  const frame = frameOf(plot)
  return (
    <Drawing
      {...{ label, colors }}
      width={plot.width}
      height={frame.bottom + (below ?? belowPx(plot))}
      class={look}
      onPoint={onPoint && ((at, event) => onPoint(at, frame, event))}
    >
      <Plot {...plot}>{children}</Plot>
    </Drawing>
  )
}
