import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { countOf, isolate } from '../../../core/number-texts.ts'
import type { XY } from '../shapes/parts.ts'
import { BoardDrawing, type BoardDrawingProps } from './drawing.tsx'
import { type KeyParts, pressKey } from './keys.ts'
import { useSketch } from './sketch.ts'
import { usePointer } from './use-pointer.ts'

type BoardProps = Omit<BoardDrawingProps, 'height' | 'sketch' | 'cursor' | 'lines'> &
  Pick<KeyParts, 'dispatch' | 'apply' | 'setTool' | 'setView' | 'say'> & {
    aspect: number
    asPart: boolean
    snaps: boolean
    boardRef: { current: SVGSVGElement | null }
  }

/**
 * Draws the board on which AOIs are edited. Keys can do everything that a pointer can. Screen readers get the same from
 * the list beside it, and each step is announced.
 */
export function Board(props: BoardProps) {
  const { item, aspect, draft, dispatch, apply, tool, setTool, asPart, snaps, view, setView, say, width, boardRef } =
    props
  const [cursor, setCursor] = useState<XY | null>(null)
  const onDone = () => {
    setCursor(null)
    setTool('select')
  }
  const sketching = useSketch({ draft, item, asPart, apply, onDone })
  const pointer = usePointer({ item, draft, dispatch, tool, snaps, view, setView, sketching })
  const height = Math.round(width / aspect)
  const keys = { item, draft, dispatch, apply, tool, setTool, view, setView, sketching, cursor, setCursor, say }
  // A layout effect: a later one would cancel what the new tool has begun.
  useLayoutEffect(() => {
    setCursor(null)
    sketching.cancel()
  }, [tool])
  useWheel(boardRef, pointer.wheel)
  const [w, h] = [view.size * width, view.size * height]
  return (
    <svg
      ref={boardRef}
      class={`board tool-${tool}`}
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`${view.x * width} ${view.y * height} ${w} ${h}`}
      role="application"
      aria-roledescription="drawing board"
      aria-label={`${isolate(item.filename) || 'The item'} with ${countOf(draft.aois.length, 'AOI')}. Tool: ${tool}`}
      aria-describedby="board-keys"
      tabindex={0}
      onPointerDown={pointer.down}
      onPointerMove={pointer.move}
      onPointerUp={pointer.up}
      onPointerCancel={pointer.up}
      onDblClick={() => tool === 'polygon' && sketching.finish()}
      onKeyDown={(event) => pressKey(event, keys) && event.preventDefault()}
    >
      <BoardDrawing {...props} height={height} sketch={sketching.sketch} cursor={cursor} lines={pointer.lines} />
    </svg>
  )
}

/** Listens to the wheel. Preact adds passive listeners, which cannot stop the page from zooming. */
function useWheel(board: BoardProps['boardRef'], onWheel: (event: WheelEvent) => void): void {
  const now = useRef(onWheel)
  now.current = onWheel
  useEffect(() => {
    const turn = (event: WheelEvent) => now.current(event)
    board.current?.addEventListener('wheel', turn, { passive: false })
    return () => board.current?.removeEventListener('wheel', turn)
  }, [])
}
