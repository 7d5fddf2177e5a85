import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Files and folders dropped on another page, held until the import page takes them. */
let held: FileSystemEntry[] = []

export function holdDropped(entries: FileSystemEntry[]): void {
  held = entries
}

export function hasDropped(): boolean {
  return held.length > 0
}

export function takeDropped(): FileSystemEntry[] {
  const taken = held
  held = []
  return taken
}

/** Accepts files dropped anywhere on the page, and shows a message while they hover over it. */
export function DropTarget({ onDrop }: { onDrop: (entries: FileSystemEntry[]) => void }) {
  const [isOver, setIsOver] = useState(false)
  const latest = useRef(onDrop)
  latest.current = onDrop
  // A layout effect: a page that does not listen yet would be replaced by the dropped file.
  useLayoutEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setIsOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setIsOver(false)
    const drop = (event: DragEvent) => {
      setIsOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      // The entries are gone after the event.
      const items = [...(event.dataTransfer?.items ?? [])]
      latest.current(items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null))
    }
    // Both: after the page has moved below the pointer, an element is entered over which nothing was dragged yet.
    window.addEventListener('dragenter', over)
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragenter', over)
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [])
  return isOver ? (
    <div class="drop-over" aria-hidden="true">
      Drop to import
    </div>
  ) : null
}
