import { Button } from '../../ui/controls/button.tsx'
import { Check } from '../../ui/controls/choice.tsx'
import { KEYS } from './board/keys.ts'
import { type BoardView, TOOLS, type Tool, viewCenter, WHOLE, zoomAt } from './board/view.ts'
import type { AoiDraft } from './draft/draft.ts'

const LABELS: Record<Tool, string> = {
  select: 'Select',
  rectangle: 'Rectangle',
  polygon: 'Polygon',
  ellipse: 'Ellipse',
  split: 'Split',
  pan: 'Hand',
}
/** Hints for each tool. */
export const HINTS: Record<Tool, string> = {
  select: 'Drag an AOI to move it, a corner to reshape it, the middle of an edge to add a corner.',
  rectangle: 'Drag from one corner to the other.',
  polygon: 'Click each corner; finish at the first one, or with a double click.',
  ellipse: 'Drag from one corner of its bounding box to the other. It is saved as a polygon of 48 corners.',
  split: 'Select a part, then drag a line across it.',
  pan: 'Drag to move the view.',
}

type ToolbarProps = {
  tool: Tool
  setTool: (tool: Tool) => void
  draft: AoiDraft
  step: (way: 'undo' | 'redo') => void
  view: BoardView
  setView: (view: BoardView) => void
  asPart: boolean
  setAsPart: (asPart: boolean) => void
  snaps: boolean
  setSnaps: (snaps: boolean) => void
  showsGaze: boolean
  setShowsGaze: (shows: boolean) => void
}

/** Draws tools, undo and redo, zoom and options, with a hint for the current tool. */
export function Toolbar(props: ToolbarProps) {
  const { tool, setTool, draft, step, view, setView, asPart, setAsPart, snaps, setSnaps, showsGaze } = props
  const { setShowsGaze } = props
  const option = (label: string, is: boolean, set: (is: boolean) => void) => (
    <Check isOn={is} onChange={() => set(!is)}>
      {label}
    </Check>
  )
  return (
    <div class="toolbar" role="toolbar" aria-label="Drawing">
      <div class="row">
        {TOOLS.map((each) => (
          <Button key={each} class="small" aria-pressed={tool === each} onClick={() => setTool(each)}>
            {LABELS[each]}
          </Button>
        ))}
        <Button class="small" disabled={draft.past.length === 0} onClick={() => step('undo')}>
          Undo
        </Button>
        <Button class="small" disabled={draft.future.length === 0} onClick={() => step('redo')}>
          Redo
        </Button>
      </div>
      <div class="row chips">
        {option('Snap', snaps, setSnaps)}
        {option('Fixations', showsGaze, setShowsGaze)}
        {option('Add the next shape to the selected AOI', asPart, setAsPart)}
        <Zoom {...{ view, setView }} />
      </div>
      <Keys />
    </div>
  )
}

function Zoom({ view, setView }: Pick<ToolbarProps, 'view' | 'setView'>) {
  return (
    <>
      <Button class="small" aria-label="Zoom out" onClick={() => setView(zoomAt(view, 1 / 1.3, viewCenter(view)))}>
        −
      </Button>
      <Button
        class="small"
        aria-label={`${Math.round(100 / view.size)} %: show the whole item`}
        onClick={() => setView(WHOLE)}
      >
        {Math.round(100 / view.size)} %
      </Button>
      <Button class="small" aria-label="Zoom in" onClick={() => setView(zoomAt(view, 1.3, viewCenter(view)))}>
        +
      </Button>
    </>
  )
}

function Keys() {
  return (
    <details class="keys">
      <summary>Keys</summary>
      <div id="board-keys">
        <p class="hint">These keys work while the picture has the focus.</p>
        <dl class="pairs">
          {KEYS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  )
}
