import { ServiceError } from '../model/errors.ts'
import { type Draft, noteLeft } from './draft.ts'
import type { Screen } from './reader.ts'

/** How a format's coordinates become pixels from the upper left: x × xScale + xOffset. */
export type ToPx = { xScale: number; yScale: number; xOffset: number; yOffset: number }

export type Origin = 'top-left' | 'bottom-left' | 'center-y-down' | 'center-y-up'

export function toPx(unit: 'px' | 'fraction' | 'percent', origin: Origin, { widthPx, heightPx }: Screen): ToPx {
  const share = unit === 'percent' ? 100 : 1
  const xUnit = unit === 'px' ? 1 : widthPx / share
  const yUnit = unit === 'px' ? 1 : heightPx / share
  const isUp = origin === 'bottom-left' || origin === 'center-y-up'
  const isCentred = origin === 'center-y-down' || origin === 'center-y-up'
  return {
    xScale: xUnit,
    yScale: isUp ? -yUnit : yUnit,
    xOffset: isCentred ? widthPx / 2 : 0,
    yOffset: isCentred ? heightPx / 2 : isUp ? heightPx : 0,
  }
}

/** For a format whose fractions mean the same on any screen: only lengths in px depend on it. */
export const USUAL_SCREEN: Screen = { widthPx: 1920, heightPx: 1080 }

/**
 * How large the screen was: as the files say, else as the person says.
 *
 * @throws ServiceError usage: positions in px mean nothing without the size of what they lie on
 */
export function needScreen(said: Screen | null, given: Screen | null, fileName: string, draft: Draft): Screen {
  if (said && given && (said.widthPx !== given.widthPx || said.heightPx !== given.heightPx))
    noteLeft(draft, `--screen, since ${fileName} says that it was ${said.widthPx}x${said.heightPx}`)
  const screen = said ?? given
  if (screen) return screen
  throw new ServiceError(
    'usage',
    `${fileName} does not say how large the screen was, which positions in px need: add --screen WIDTHxHEIGHT, in px`,
  )
}
