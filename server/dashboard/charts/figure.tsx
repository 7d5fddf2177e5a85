import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { count } from '../number-texts.ts'
import { Scrolling } from '../parts/scrolling.tsx'
import { type Colors, LIGHT, useTheme } from '../theme.ts'
import { type LegendEntry, pngBlob, saveBlob, standalone, svgBlob } from './save.ts'
import { csvOf } from './saved-csv.ts'

/** Narrower than this, labels leave no room for what they name: the drawing is scrolled instead. */
const NARROWEST_PX = 520

export type Cell = string | number | null
export type Numbers = { columns: string[]; rows: Cell[][] }

/**
 * Draws a chart with its title, its caption, its numbers as a table, and the buttons that save it.
 *
 * @param draw an <svg> of its own width and height, in the given colours; it is drawn again in light ones to be saved
 * @param caption what it shows: export, settings, n, Gazette's version
 */
export function Figure({
  title,
  caption,
  fileName,
  draw,
  numbers,
  isStale = false,
  controls,
  below,
  savedWidth = 1000,
  scrolls = false,
  legend = [],
}: {
  title: string
  caption: string
  fileName: string
  draw: (colors: Colors, width: number) => VNode
  numbers: () => Numbers
  isStale?: boolean
  controls?: ComponentChildren
  below?: ComponentChildren
  savedWidth?: number
  scrolls?: boolean
  /** Of the saved drawing; on the page it stands below. */
  legend?: LegendEntry[]
}) {
  const { colors } = useTheme()
  const id = useId()
  const [box, width] = useWidth()
  const [asTable, setAsTable] = useState(false)
  const [trouble, setTrouble] = useState('')

  const save = async (kind: 'svg' | 'png') => {
    setTrouble('')
    try {
      const svg = await standalone(draw(LIGHT, savedWidth), title, caption, legend)
      saveBlob(kind === 'svg' ? svgBlob(svg) : await pngBlob(svg), `${fileName}.${kind}`)
    } catch {
      setTrouble(`The ${kind.toUpperCase()} could not be made. Try the other format.`)
    }
  }
  const drawing = width > 0 ? draw(colors, Math.max(NARROWEST_PX, width)) : null
  const table = asTable ? numbers() : null
  return (
    <figure class="figure card" aria-labelledby={`${id}-title`}>
      <div class="figure-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <div class="figure-tools">
          <button type="button" class="small" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            Numbers
          </button>
          <button type="button" class="small" aria-label={`Save ${title} as SVG`} onClick={() => save('svg')}>
            SVG
          </button>
          <button type="button" class="small" aria-label={`Save ${title} as PNG`} onClick={() => save('png')}>
            PNG
          </button>
        </div>
      </div>
      {controls}
      <div ref={box} class={`drawing${isStale ? ' stale' : ''}`}>
        {scrolls ? (
          <Scrolling class="scrolls" label={`${title}, drawing`}>
            {drawing}
          </Scrolling>
        ) : (
          drawing
        )}
      </div>
      {below}
      {trouble !== '' && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      {table !== null && <NumbersTable title={title} fileName={fileName} numbers={table} />}
      <figcaption>{caption}</figcaption>
    </figure>
  )
}

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
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, ROWS_SHOWN).map((row, r) => (
              <tr key={r}>
                {row.map((cell, c) => (
                  <td key={columns[c]} class={typeof cell === 'number' ? 'number' : ''}>
                    {cell}
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
          onClick={() => saveBlob(new Blob([csvOf(columns, rows)], { type: 'text/csv' }), `${fileName}.csv`)}
        >
          Save these numbers (CSV)
        </button>
      </p>
    </div>
  )
}

/** Returns the width of the element in whole px, updated whenever it changes. */
function useWidth(): [{ current: HTMLDivElement | null }, number] {
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
