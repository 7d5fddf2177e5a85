import type { DraftParticipant } from '../draft/draft.ts'
import { numberIn } from '../text/parse-number.ts'

const GENDERS = [
  ['female', 'f', 'woman'],
  ['male', 'm', 'man'],
  ['other', 'diverse', 'nonbinary', 'non-binary'],
]

/** Parses an age in whole years; null for any other text. */
export function ageIn(text: string): number | null {
  const age = numberIn(text)
  return Number.isInteger(age) && age >= 1 && age <= 150 ? age : null
}

/** Parses a gender; null for any other text, such as a code. */
export function genderIn(text: string): DraftParticipant['gender'] {
  const gender = GENDERS.findIndex((words) => words.includes(text.trim().toLowerCase()))
  return gender < 0 ? null : (gender as 0 | 1 | 2)
}
