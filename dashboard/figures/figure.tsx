import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useAppliedText } from '../core/analysis/use-applied.ts'
import { type Colors, LIGHT, useTheme } from '../core/colors/theme.ts'
import type { Numbers } from '../core/numbers-csv.ts'
import type { Loaded } from '../core/use-data.ts'
import type { Explained } from '../ui/help/explanations.tsx'
import { Scrolling } from '../ui/scrolling.tsx'
import { tallest } from '../ui/waiting/await-item.tsx'
import { Loading, Old, Trouble } from '../ui/waiting/states.tsx'
import { FoldedWindow } from '../ui/window/window-slider.tsx'
import type { Caption } from './caption.ts'
import { CaptionText } from './caption-text.tsx'
import { wholeCaption } from './captions.ts'
import { type DrawingPlace, useDrawnFigure } from './drawn-figures.ts'
import { FigureTools, NumbersTable } from './figure-tools.tsx'
import type { LegendEntry } from './save.ts'
import { useDrawing } from './use-drawing.ts'
import './figures.css'

/** Heading of a figure: below that of the page or, in a report, of a section. */
export const FigureHeading = createContext<'h2' | 'h3'>('h2')

/** Added to the name of a drawing that scrolls, where a page may show a figure twice; '' for none. */
export const FigureMark = createContext('')

/** Minimum width. A narrower drawing scrolls, since labels would leave no room for their marks. */
const NARROWEST_PX = 520

type FigureParts = {
  title: string
  subject?: string
  caption: Caption
  fileName: string
  draw: ((colors: Colors, width: number) => VNode) | null
  madeOf?: unknown[] | null
  aspect?: number
  numbers: () => Numbers
  loaded?: Pick<Loaded<unknown>, 'isFresh' | 'problem' | 'retry'>
  /** Replaces a drawing that would show nothing, and says why. */
  empty?: ComponentChildren
  controls?: ComponentChildren
  /** True to draw the controls below the drawing, so that the drawing is seen first. */
  isFirst?: boolean
  below?: ComponentChildren
  /** Drawn over the upper left corner, only on the page. */
  over?: ComponentChildren
  savedWidth?: number
  narrowest?: number
  scrolls?: boolean
  /** Height on paper, in mm, at which its rows are legible; without rows, figures have the same. */
  paperMm?: number | null
  /** Legend of the saved drawing; on the page, it is below the figure. */
  legend?: LegendEntry[]
  /** Colour bar of the saved drawing; on the page, it is below the figure. */
  bar?: ((colors: Colors) => VNode) | null
  /** Measures in the drawing, explained below its caption. */
  explains?: Explained[]
}

/**
 * Draws a chart with its title, its caption, its numbers as a table, and the buttons that save it. A problem replaces
 * the drawing; an outdated drawing is marked as old.
 *
 * @param draw returns an <svg> of its own width and height in the given colours, called again with light ones for
 * saving; null while there is nothing to draw
 * @param madeOf dependencies of the drawing besides colours and width. If one changes, the drawing is redrawn, at once
 * while visible. Without them, it is redrawn on every render
 * @param aspect width by height of a drawing that is at most `tallest` high; it reserves the space, so that nothing
 * moves when the drawing arrives
 * @param caption on the page its sentence, the rest on demand; everything but the sentence in the saved file
 * @param subject added to the title of the saved file: item and participant
 */
export function Figure(props: FigureParts) {
  const { title, caption, fileName, draw, madeOf = null, aspect, numbers, loaded = READY, empty = null } = props
  const { controls, isFirst = false, below, over = null } = props
  const { narrowest = NARROWEST_PX, explains = [], paperMm = null } = props
  const Heading = useContext(FigureHeading)
  const { colors } = useTheme()
  const applied = useAppliedText()
  const whole = wholeCaption(caption, applied)
  const id = useId()
  const [box, width] = useWidth()
  const [asTable, setAsTable] = useState(false)
  const [trouble, setTrouble] = useState('')
  const isShown = draw !== null && empty === null
  const isSaved = isShown && loaded.problem === null
  const { drawing, isBehind } = useDrawing(
    box,
    () => (isShown && width > 0 ? draw(colors, Math.max(narrowest, width)) : null),
    [isShown, width, colors, narrowest],
    madeOf,
  )
  const isAwaited = !loaded.isFresh && loaded.problem === null
  const isLate = useLate(isAwaited, whole)
  const isScrolled = props.scrolls === true || width < narrowest
  const isLoading = draw === null && loaded.problem === null
  const table = asTable && draw !== null ? numbers() : null
  const element = useDrawnFigure({
    ...{ title, caption, applied, paperMm },
    drawing: isSaved ? (place) => bareOf(props, place) : null,
  })
  return (
    <figure
      ref={element}
      class={`figure card${paperMm === null ? '' : ' rowed'}`}
      style={paperMm === null ? {} : { '--paper': `${paperMm}mm` }}
      aria-labelledby={`${id}-title`}
      aria-busy={isAwaited || isBehind}
    >
      <div class="figure-head">
        <Heading id={`${id}-title`}>{title}</Heading>
        <FigureTools
          {...{ title, numbers, asTable, setAsTable, fileName }}
          caption={whole}
          isDrawn={isShown}
          drawn={isSaved ? () => savedOf(props, whole) : null}
          onTrouble={setTrouble}
        />
      </div>
      {!isFirst && controls}
      {loaded.problem !== null && <Trouble problem={loaded.problem} retry={loaded.retry} />}
      {draw !== null && empty}
      <Place {...{ box, title, aspect, isLoading, isLate }}>
        {drawing !== null && (
          <Placed {...{ title, isScrolled }} isOld={loaded.problem !== null}>
            {drawing}
          </Placed>
        )}
        {drawing !== null && over !== null && <div class="over-drawing no-print">{over}</div>}
      </Place>
      {isFirst && controls}
      {isShown && below}
      {isShown && <FoldedWindow />}
      {trouble !== '' && <Failed>{trouble}</Failed>}
      {table !== null && <NumbersTable title={title} fileName={fileName} numbers={table} />}
      {draw !== null && <CaptionText {...{ caption, applied }} explains={isShown ? explains : []} />}
    </figure>
  )
}

type PlaceProps = Pick<FigureParts, 'title' | 'aspect'> & {
  box: { current: HTMLDivElement | null }
  isLoading: boolean
  isLate: boolean
  children: ComponentChildren
}

/** Draws the place of a drawing, which keeps its size until the first one arrives. */
function Place({ box, title, aspect, isLoading, isLate, children }: PlaceProps) {
  const isKept = isLoading && aspect !== undefined
  return (
    <div
      ref={box}
      class={`drawing${isLate ? ' stale' : ''}`}
      style={isKept ? { aspectRatio: aspect, maxHeight: `${tallest(aspect)}px` } : {}}
    >
      {isLoading && <Loading what={title.toLowerCase()} />}
      {children}
    </div>
  )
}

type PlacedProps = { title: string; isScrolled: boolean; isOld: boolean; children: VNode }

/** Draws a drawing in its place: scrolling if necessary, and marked if it is outdated. */
function Placed({ title, isScrolled, isOld, children }: PlacedProps) {
  const mark = useContext(FigureMark)
  const drawing = isScrolled ? (
    <Scrolling class="scrolls" label={`${title}, drawing${mark}`}>
      {children}
    </Scrolling>
  ) : (
    children
  )
  return isOld ? <Old what="picture">{drawing}</Old> : drawing
}

/** Returns the drawing for a file: in light colours, with its explanations. */
async function savedOf(props: FigureParts, caption: string) {
  const { standalone } = await import('./drawing-file.ts')
  return standalone(props.draw!(LIGHT, props.savedWidth ?? 1000), { ...besideOf(props), caption })
}

/** Returns the drawing for a document, which writes its texts itself. */
async function bareOf(props: FigureParts, { widthPx, isWide }: DrawingPlace) {
  const { withoutTexts } = await import('./drawing-file.ts')
  const drawing = props.draw!(LIGHT, Math.max(props.narrowest ?? NARROWEST_PX, widthPx))
  return withoutTexts(drawing, besideOf(props), isWide)
}

function besideOf({ title, subject = '', legend = [], bar }: FigureParts) {
  return { title: subject === '' ? title : `${title}: ${subject}`, legend, bar: bar?.(LIGHT) ?? null }
}

function Failed({ children }: { children: string }) {
  return (
    <p class="trouble" role="alert">
      {children}
    </p>
  )
}

const READY = { isFresh: true, problem: null, retry: () => {} }

const LATE_MS = 250

/** Returns whether the next drawing has been awaited for a while; drawings are told apart by their captions. */
function useLate(isAwaited: boolean, caption: string): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    setLate(false)
    if (!isAwaited) return
    const timer = window.setTimeout(() => setLate(true), LATE_MS)
    return () => window.clearTimeout(timer)
  }, [isAwaited, caption])
  return isLate
}

/** Returns the width of an element in whole px, updated whenever it changes. */
export function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement | null>(null)
  const [width, setWidth] = useState(0)
  // A layout effect, so that the first drawing is in the frame of its place.
  useLayoutEffect(() => {
    if (box.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)))
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}
