import type { ChosenNames, GuessedMapping } from '../../engine/recordings/any-table/guess-mapping.ts'
import { type GuessedUnit, UNKNOWN } from '../../engine/recordings/any-table/guess-places.ts'
import { columnIn } from '../../engine/recordings/text/foreign-table.ts'

type Ask = (question: string) => Promise<string>

/**
 * Asks the user about a guessed mapping: an empty answer accepts the guess, `-` means none.
 *
 * @param ask prints a question and returns the answer
 * @param guessAgain guesses unit, origin and validity of columns that the user chose instead
 */
export async function askMapping(
  guess: GuessedMapping,
  header: string[],
  ask: Ask,
  guessAgain: (chosen: ChosenNames) => Promise<GuessedMapping>,
): Promise<GuessedMapping> {
  const { choose, optional, needed, oneOf, cm } = questions(header, ask)
  await ask(
    `Columns: ${header.join(', ')}. Press Enter to accept the value in brackets; - means none. Press Enter to begin. `,
  )
  const participant = await optional('Column of the participant', guess.participant)
  const item = await optional('Column of the item (picture, page)', guess.item)
  const trial = await optional('Column of the trial, if one item was seen more than once', guess.trial)
  const column = await needed('Column of the time', guess.time.column)
  let known = column === guess.time.column ? guess : await guessAgain({ time: column })
  const time = {
    column,
    unit: await oneOf('Unit of the time', ['s', 'ms', 'us', 'ns', 'iso'] as const, known.time.unit),
    origin: await oneOf(
      "Origin of the time: the item's onset, or its first sample",
      ['item', 'first'] as const,
      known.time.origin,
    ),
  }
  const pairs: { x: string; y: string }[] = []
  for (const [i, eye] of guess.gaze.entries()) {
    const which = eye.eye ? ` of the ${eye.eye} eye` : guess.gaze.length === 2 ? ` of eye ${i + 1}` : ''
    pairs.push({
      x: await needed(`Column of x${which}`, eye.x),
      y: await needed(`Column of y${which}`, eye.y),
    })
  }
  const isOther = pairs.some(({ x, y }, i) => x !== guess.gaze[i].x || y !== guess.gaze[i].y)
  if (isOther) known = await guessAgain({ time: column, gaze: pairs })
  const unit = await oneOf<GuessedUnit>(
    'Unit of x and y',
    ['px', 'fraction', 'percent', 'norm', 'height', 'deg'],
    known.gaze[0].unit,
  )
  const gaze = pairs.map((pair, i) => ({ ...known.gaze[i], ...pair, unit }))
  const viewing =
    unit === 'deg'
      ? {
          screenWidthCm: await cm('Width of the screen in cm'),
          viewingDistanceCm: await cm('Distance of the eyes from the screen in cm'),
        }
      : null
  const centred = ['center-y-down', 'center-y-up'] as const
  const origins = ['norm', 'height', 'deg'].includes(unit)
    ? centred
    : (['top-left', 'bottom-left', ...centred] as const)
  const usual = origins.find((one) => one === known.origin) ?? 'center-y-up'
  const origin = await oneOf<GuessedMapping['origin']>('Origin of x and y', origins, usual)
  const shown = guess.screen ? `${guess.screen.widthPx}x${guess.screen.heightPx}` : '-'
  const screen = await choose('Size of the screen in px, such as 1920x1080', shown, screenIn, guess.screen)
  return { ...known, participant, item, trial, time, gaze, origin, screen, viewing }
}

/** Parses a size; null for none, undefined for an invalid answer. */
function screenIn(answer: string): GuessedMapping['screen'] | undefined {
  const match = /^(\d{1,5})\s*[x×]\s*(\d{1,5})$/.exec(answer)
  if (answer === '-') return null
  return match ? { widthPx: Number(match[1]), heightPx: Number(match[2]) } : undefined
}

/** Returns a function for each kind of question, which repeats it until the answer is valid. */
function questions(header: string[], ask: Ask) {
  const choose = async <T>(
    what: string,
    shown: string,
    parse: (answer: string) => T | undefined,
    fallback: T,
  ): Promise<T> => {
    for (;;) {
      const answer = (await ask(`${what} [${shown}]: `)).trim()
      if (answer === '') return fallback
      const value = parse(answer)
      if (value !== undefined) return value
    }
  }
  const name = (answer: string) => header[columnIn(header, answer)] as string | undefined
  const optional = async (what: string, fallback: string | null): Promise<string | null> => {
    const parse = (answer: string) => (answer === '-' ? null : name(answer))
    const value = await choose<string | null>(what, fallback ?? '-', parse, fallback)
    return value === UNKNOWN ? optional(what, fallback) : value
  }
  const needed = async (what: string, fallback: string): Promise<string> => {
    for (;;) {
      const value = await choose(what, fallback, name, fallback)
      if (value !== UNKNOWN) return value
    }
  }
  const oneOf = async <T extends string>(what: string, values: readonly T[], fallback: T): Promise<T> => {
    const parse = (answer: string) => values.find((value) => value === answer)
    const value = await choose(`${what} (${values.join(', ')})`, fallback, parse, fallback)
    return value === UNKNOWN ? oneOf(what, values, fallback) : value
  }
  const cm = (what: string): Promise<number> => {
    const parse = (answer: string) => (Number(answer) > 0 ? Number(answer) : undefined)
    return choose<number | null>(what, UNKNOWN, parse, null).then((value) => value ?? cm(what))
  }
  return { choose, optional, needed, oneOf, cm }
}
