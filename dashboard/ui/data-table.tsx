import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { NumberCell, Numbers } from '../core/numbers-csv.ts'
import { CopyMenu } from './copy.tsx'
import { Scrolling } from './scrolling.tsx'

type DataTableProps = { class?: string; label: string; numbers?: () => Numbers; children: ComponentChildren }

/**
 * Draws a scrolling table with a menu that copies it.
 *
 * @param numbers copied values; by default those of the table, where a cell with `data-value` is copied with all digits
 */
export function DataTable({ class: look = 'table-scroll cells', label, numbers, children }: DataTableProps) {
  const box = useRef<HTMLDivElement | null>(null)
  return (
    <div class="data-table" ref={box}>
      <Scrolling class={look} label={label}>
        {children}
      </Scrolling>
      <CopyMenu title={label} numbers={numbers ?? (() => numbersIn(box.current!.querySelector('table')!))} />
    </div>
  )
}

const NUMBER = /^-?\d{1,3}(,\d{3})*(\.\d+)?$/

function numbersIn(table: HTMLTableElement): Numbers {
  const textOf = (cell: Element): string => {
    const own = cell.cloneNode(true) as Element
    for (const beside of own.querySelectorAll('.explain, .ignore')) beside.remove()
    return (own.textContent ?? '').replace(/\s+/g, ' ').trim()
  }
  const cellOf = (cell: Element): NumberCell => {
    const value = cell.getAttribute('data-value')
    if (value !== null) return Number(value)
    const text = textOf(cell)
    return NUMBER.test(text) ? Number(text.replaceAll(',', '')) : text
  }
  const [head, ...rows] = [...table.rows]
  return { columns: [...head.cells].map(textOf), rows: rows.map((row) => [...row.cells].map(cellOf)) }
}
