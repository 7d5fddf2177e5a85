import { Button } from '../../ui/controls/button.tsx'
import './fold-place.css'

type FoldPlaceProps = {
  /** Contents of the place, in words. */
  what: string
  isFolded: boolean
  /** Single key that presses it. */
  shortcut?: string
  onFold: (isFolded: boolean) => void
}

/** Draws the button that folds or unfolds a place beside the figure; beside the figure, it is an arrow. */
export function FoldPlace({ what, isFolded, shortcut, onFold }: FoldPlaceProps) {
  const words = `${isFolded ? 'Show' : 'Hide'} ${what}`
  return (
    <Button
      class="fold small"
      aria-expanded={!isFolded}
      aria-keyshortcuts={shortcut}
      title={words}
      onClick={() => onFold(!isFolded)}
    >
      <span class="fold-words">{words}</span>
    </Button>
  )
}
