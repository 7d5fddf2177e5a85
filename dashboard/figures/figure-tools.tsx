import { missingCode } from '../core/missing-code.ts'
import { wholeText } from '../core/number-texts.ts'
import { csvOf, type Numbers } from '../core/numbers-csv.ts'
import { useOneStop } from '../core/one-stop.ts'
import { ColumnNames } from '../ui/column-names.tsx'
import { Button } from '../ui/controls/button.tsx'
import { CopyMenu } from '../ui/copy.tsx'
import { Scrolling } from '../ui/scrolling.tsx'
import { saveBlob } from './save.ts'

const { title: NOT_COME, detail: NOT_COME_WHY } = missingCode('What saves drawings could not be loaded')
const NOT_LOADED = `${NOT_COME}. ${NOT_COME_WHY}`

type FigureToolsProps = {
  title: string
  caption: string
  fileName: string
  numbers: () => Numbers
  asTable: boolean
  setAsTable: (asTable: boolean) => void
  isDrawn: boolean
  drawn: (() => Promise<SVGSVGElement>) | null
  onTrouble: (text: string) => void
}

/**
 * Draws the buttons of a figure: its numbers as a table, saving and copying.
 *
 * @param drawn drawing for a file; null while there is none
 */
export function FigureTools(props: FigureToolsProps) {
  const { title, caption, fileName, numbers, asTable, setAsTable, isDrawn, drawn, onTrouble } = props
  const stop = useOneStop<HTMLDivElement>(':scope > button:enabled, summary')
  const picture = async (kind: 'svg' | 'png') => {
    onTrouble('')
    const code = await import('./drawing-file.ts').catch(() => null)
    const words = code === null ? NOT_LOADED : `The ${kind.toUpperCase()} could not be created. Try the other format.`
    try {
      const drawing = await drawn!()
      return kind === 'svg' ? code!.svgBlob(drawing) : await code!.pngBlob(drawing)
    } catch (error) {
      onTrouble(words)
      throw error
    }
  }
  const save = (kind: 'svg' | 'png') =>
    picture(kind).then(
      (blob) => saveBlob(blob, `${fileName}.${kind}`),
      () => {},
    )
  return (
    <div class="figure-tools" role="toolbar" aria-label={`Tools of ${title}`} {...stop}>
      <Button class="small" aria-pressed={asTable} disabled={!isDrawn} onClick={() => setAsTable(!asTable)}>
        Numbers
      </Button>
      {isDrawn && (
        <CopyMenu
          {...{ title, caption, numbers }}
          picture={drawn && { svg: () => picture('svg'), png: () => picture('png') }}
          files={{
            ...(drawn && { SVG: () => save('svg'), PNG: () => save('png') }),
            CSV: async () => saveCsv(numbers(), fileName),
          }}
        />
      )}
    </div>
  )
}

function saveCsv(numbers: Numbers, fileName: string): void {
  saveBlob(new Blob([csvOf(numbers)], { type: 'text/csv' }), `${fileName}.csv`)
}

const ROWS_SHOWN = 300

export function NumbersTable({ title, fileName, numbers }: { title: string; fileName: string; numbers: Numbers }) {
  const { columns, rows } = numbers
  const hidden = rows.length - ROWS_SHOWN
  return (
    <div class="numbers">
      <Scrolling class="table-scroll" label={`${title}, numbers`}>
        <table>
          <ColumnNames of={columns.map((name) => <bdi>{name}</bdi>)} />
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
        {hidden > 0 && <span class="hint">{wholeText(hidden)} more rows are in the CSV. </span>}
        <Button class="small" onClick={() => saveCsv(numbers, fileName)}>
          Save these numbers (CSV)
        </Button>
      </p>
    </div>
  )
}
