import { ServiceError } from '../../model/errors.ts'
import { type Draft, noteAssumed, noteLeft } from '../draft/draft.ts'
import type { SourceFile } from '../text/source-files.ts'
import type { ReadOptions, Screen } from './reader.ts'

/** Default screen of formats whose fractions mean the same on any screen: only lengths in px depend on it. */
export const USUAL_SCREEN: Screen = { widthPx: 1920, heightPx: 1080 }

/**
 * Returns the size of a participant's screen from the options: from the table of screens, otherwise the one size for
 * all; null if neither is given.
 */
export function givenScreen({ screens, screen }: ReadOptions, participant: string): Screen | null {
  return screens?.get(participant) ?? screen
}

/**
 * Returns the size of a participant's screen: from the files, otherwise from the options.
 *
 * @throws ServiceError usage if neither has it: positions in px mean nothing without the size of their screen
 */
export function needScreen(
  said: Screen | null,
  participant: string,
  options: ReadOptions,
  { name }: SourceFile,
  draft: Draft,
): Screen {
  const given = givenScreen(options, participant)
  const isOther = said && given && (said.widthPx !== given.widthPx || said.heightPx !== given.heightPx)
  if (isOther) noteLeft(draft, 'the given size, where the files state another', null, { file: name })
  if (said) return said
  if (!given)
    throw new ServiceError(
      'usage',
      options.screens
        ? `the table of screens has no row for ${participant} of ${name}, which does not say how large the screen was: add one`
        : `${name} does not say how large the screen was, which positions in px need: add --screen WIDTHxHEIGHT, in px, or --screens FILE with a size per participant`,
    )
  if (!options.screens?.has(participant))
    noteAssumed(draft, `every screen or window had ${given.widthPx} × ${given.heightPx} px, as given`)
  return given
}
