import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Loaded } from '../api.ts'
import { type Colors, LIGHT, useTheme } from '../colors/theme.ts'
import { count } from '../number-texts.ts'
import { CopyMenu } from '../parts/copy.tsx'
import { Scrolling } from '../parts/scrolling.tsx'
import { Loading, Old, Trouble } from '../waiting/states.tsx'
import { csvOf, type Numbers } from './numbers-csv.ts'
import { type LegendEntry, pngBlob, saveBlob, standalone, svgBlob } from './save.ts'
import { useDrawing } from './use-drawing.ts'

/** Narrower than this, labels leave no room for what they name: the drawing is scrolled instead. */
const NARROWEST_PX = 520

/**
 * A chart with its title, its caption, its numbers as a table, and the buttons that save it. A problem stands where the
 * drawing would, and a drawing of before is marked as old.
 *
 * @param draw an <svg> of its own width and height, in the given colours; it is drawn again in light ones to be saved;
 *   null while there is nothing to draw
 * @param madeOf all that the drawing depends on besides colours and width: it is drawn anew when one of them changes, at once where it
 *   is in sight; without it, always
 * @param short the caption on the page
 * @param caption of the saved file, which stands alone: export, settings, n, Gazette's version
 * @param subject what the title says besides in the saved file: item and participant
 */
export function Figure({
  title,
  subject = '',
  short,
  caption,
  fileName,
  draw,
  madeOf = null,
  numbers,
  loaded = READY,
  empty = null,
  controls,
  below,
  savedWidth = 1000,
  narrowest = NARROWEST_PX,
  scrolls = false,
  legend = [],
  bar = null,
}: {
  title: string
  subject?: string
  short: string
  caption: string
  fileName: string
  draw: ((colors: Colors, width: number) => VNode) | null
  madeOf?: unknown[] | null
  numbers: () => Numbers
  loaded?: Pick<Loaded<unknown>, 'isFresh' | 'problem' | 'retry'>
  /** Stands in the place of a drawing that would show nothing, and says why. */
  empty?: ComponentChildren
  controls?: ComponentChildren
  below?: ComponentChildren
  savedWidth?: number
  narrowest?: number
  scrolls?: boolean
  /** Of the saved drawing; on the page it stands below. */
  legend?: LegendEntry[]
  /** As the legend. */
  bar?: ((colors: Colors) => VNode) | null
}) {
  const { colors } = useTheme()
  const id = useId()
  const [box, width] = useWidth()
  const [asTable, setAsTable] = useState(false)
  const [trouble, setTrouble] = useState('')
  const isShown = draw !== null && empty === null
  const canSave = isShown && loaded.problem === null

  const picture = async (kind: 'svg' | 'png') => {
    const whole = subject === '' ? title : `${title}: ${subject}`
    const saved = { title: whole, caption, legend, bar: bar?.(LIGHT) ?? null }
    const svg = await standalone(draw!(LIGHT, savedWidth), saved)
    return kind === 'svg' ? svgBlob(svg) : pngBlob(svg)
  }
  const save = async (kind: 'svg' | 'png') => {
    setTrouble('')
    try {
      saveBlob(await picture(kind), `${fileName}.${kind}`)
    } catch {
      setTrouble(`The ${kind.toUpperCase()} could not be made. Try the other format.`)
    }
  }
  const { drawing, isBehind } = useDrawing(
    box,
    () => (isShown && width > 0 ? draw(colors, Math.max(narrowest, width)) : null),
    [isShown, width, colors, narrowest],
    madeOf,
  )
  const isAwaited = !loaded.isFresh && loaded.problem === null
  const isLate = useLate(isAwaited, caption)
  const placed =
    (scrolls || width < narrowest) && drawing !== null ? (
      <Scrolling class="scrolls" label={`${title}, drawing`}>
        {drawing}
      </Scrolling>
    ) : (
      drawing
    )
  const table = asTable && draw !== null ? numbers() : null
  return (
    <figure class="figure card" aria-labelledby={`${id}-title`} aria-busy={isAwaited || isBehind}>
      <div class="figure-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <div class="figure-tools">
          <button
            type="button"
            class="small"
            aria-pressed={asTable}
            disabled={draw === null}
            onClick={() => setAsTable(!asTable)}
          >
            Numbers
          </button>
          {(['svg', 'png'] as const).map((kind) => (
            <button
              key={kind}
              type="button"
              class="small"
              disabled={!canSave}
              aria-label={`Save ${title} as ${kind.toUpperCase()}`}
              onClick={() => save(kind)}
            >
              {kind.toUpperCase()}
            </button>
          ))}
          {draw !== null && (
            <CopyMenu
              title={title}
              caption={caption}
              numbers={numbers}
              picture={canSave ? { svg: () => picture('svg'), png: () => picture('png') } : null}
            />
          )}
        </div>
      </div>
      {controls}
      {loaded.problem !== null && <Trouble problem={loaded.problem} retry={loaded.retry} />}
      {draw === null && loaded.problem === null && <Loading what={title.toLowerCase()} />}
      {draw !== null && empty}
      <div ref={box} class={`drawing${isLate ? ' stale' : ''}`}>
        {placed !== null && loaded.problem !== null ? <Old what="picture">{placed}</Old> : placed}
      </div>
      {isShown && below}
      {trouble !== '' && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      {table !== null && <NumbersTable title={title} fileName={fileName} numbers={table} />}
      {draw !== null && (
        <figcaption>
          <p>{short}</p>
          <details class="caption-more">
            <summary>Full caption, as in the saved file</summary>
            <p>{caption}</p>
          </details>
        </figcaption>
      )}
    </figure>
  )
}

const READY = { isFresh: true, problem: null, retry: () => {} }
const ROWS_SHOWN = 300

function NumbersTable({ title, fileName, numbers }: { title: string; fileName: string; numbers: Numbers }) {
  const { columns, rows } = numbers
  const hidden = rows.length - ROWS_SHOWN
  return (
    <div class="numbers">
      <Scrolling class="table-scroll" label={`${title}, numbers`}>
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, ROWS_SHOWN).map((row, r) => (
              <tr key={r}>
                {row.map((cell, c) => (
                  <td key={columns[c]} class={typeof cell === 'number' ? 'number' : ''}>
                    {typeof cell === 'string' ? <bdi>{cell}</bdi> : cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      <p class="row">
        {hidden > 0 && <span class="hint">{count(hidden)} more rows are in the file. </span>}
        <button
          type="button"
          class="small"
          onClick={() => saveBlob(new Blob([csvOf(numbers)], { type: 'text/csv' }), `${fileName}.csv`)}
        >
          Save these numbers (CSV)
        </button>
      </p>
    </div>
  )
}

const LATE_MS = 250

/** Returns whether the next drawing has been awaited for a while since the last, which its caption tells apart. */
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

/** Returns the width of the element in whole px, updated whenever it changes. */
export function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement | null>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (box.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)))
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}
