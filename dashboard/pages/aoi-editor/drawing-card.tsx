import { useMemo, useRef, useState } from 'preact/hooks'
import type { Aoi, FixationsData, Item } from '../../core/api.ts'
import { slug } from '../../core/number-texts.ts'
import { useData } from '../../core/use-data.ts'
import { useWidth } from '../../figures/figure.tsx'
import { saveBlob } from '../../figures/save.ts'
import { Button } from '../../ui/controls/button.tsx'
import { fitting } from '../../ui/waiting/await-item.tsx'
import { Board } from './board/board.tsx'
import { type BoardView, type Tool, WHOLE } from './board/view.ts'
import type { Opened } from './dialogs/dialogs.tsx'
import type { XY } from './shapes/parts.ts'
import { HINTS, Toolbar } from './toolbar.tsx'

type CardProps = Pick<
  Parameters<typeof Board>[0],
  'draft' | 'dispatch' | 'apply' | 'item' | 'picture' | 'colors' | 'tMs' | 'say'
> & {
  isChanged: boolean
  setOpened: (opened: Opened) => void
  spotsPath: string
  mayCopy: boolean
}

/** Draws the board with its tools. */
export function DrawingCard({ setOpened, spotsPath, mayCopy, ...props }: CardProps) {
  const { item, draft, dispatch } = props
  const [tool, setTool] = useState<Tool>('select')
  const [view, setView] = useState<BoardView>(WHOLE)
  const [asPart, setAsPart] = useState(false)
  const [snaps, setSnaps] = useState(true)
  const [showsGaze, setShowsGaze] = useState(false)
  const { aspect } = props.picture
  const [box, width] = useWidth()
  const boardRef = useRef<SVGSVGElement | null>(null)
  const spots = useSpots(showsGaze ? spotsPath : null)
  const choose = (next: Tool) => {
    setTool(next)
    boardRef.current?.focus({ preventScroll: true })
  }
  return (
    <section class="card panel drawing-card" aria-label="Board">
      <div class="row">
        <Button class="small" onClick={() => setOpened({ dialog: 'grid' })}>
          Grid …
        </Button>
        <Button class="small" onClick={() => setOpened({ dialog: 'file' })}>
          From a file …
        </Button>
        <Button class="small" disabled={draft.aois.length === 0} onClick={() => saveFile(draft.aois, item)}>
          To a file
        </Button>
        <Button
          class="small"
          disabled={!mayCopy}
          title={mayCopy ? undefined : 'Save first'}
          onClick={() => setOpened({ dialog: 'copy-all' })}
        >
          Copy all to other items …
        </Button>
        <Button class="small" onClick={() => setOpened({ dialog: 'past' })}>
          History …
        </Button>
      </div>
      <Toolbar
        {...{ tool, draft, view, setView, asPart, setAsPart, snaps, setSnaps, showsGaze, setShowsGaze }}
        setTool={choose}
        step={(way) => dispatch({ do: way })}
      />
      <div ref={box} class="board-box">
        {width > 0 && (
          <Board
            {...props}
            {...{ aspect, tool, asPart, snaps, view, setView, spots, boardRef, setTool }}
            width={fitting(width, aspect)}
          />
        )}
      </div>
      <p class="hint">{HINTS[tool]}</p>
    </section>
  )
}

function saveFile(aois: Aoi[], item: Item): void {
  saveBlob(
    new Blob([JSON.stringify(aois, null, 2)], { type: 'application/json' }),
    `gazette-aois-${slug(item.filename)}.json`,
  )
}

function useSpots(path: string | null): XY[] {
  const { data } = useData<FixationsData>(path)
  return useMemo(() => data?.tests.flatMap(({ fixations }) => fixations.map(([x, y]): XY => [x, y])) ?? [], [data])
}
