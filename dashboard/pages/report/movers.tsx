import { Button } from '../../ui/controls/button.tsx'

type MoversProps = { name: string; place: number; n: number; onMove: (by: 1 | -1) => void }

/** Draws the buttons that move an entry of a list of n up and down. */
export function Movers({ name, place, n, onMove }: MoversProps) {
  const mover = (words: string, sign: string, by: 1 | -1, isOff: boolean) => (
    <Button class="quiet small" aria-label={`Move ${name} ${words}`} disabled={isOff} onClick={() => onMove(by)}>
      {sign}
    </Button>
  )
  return (
    <>
      {mover('up', '↑', -1, place === 0)}
      {mover('down', '↓', 1, place === n - 1)}
    </>
  )
}
