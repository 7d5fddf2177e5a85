import { hasAtMost, NAME_MAX, PARTICIPANT_TEXT_MAX, PROSE_MAX } from '../../import/bundle/bundle-limits.ts'
import { refusal } from '../../model/bundle-problems.ts'
import { isPlainText, PLAIN_TEXT_RULE } from '../../model/plain-text.ts'
import type { Draft } from '../draft/draft.ts'

/** Refuses texts that are invalid in a bundle, naming their source file. @throws ServiceError invalid_bundle */
export function checkTexts({ studyName, participants, items, tests, aois }: Draft): void {
  const [someFile] = participants.flatMap(({ files }) => files)
  const check = (file: string | undefined, what: string, text: string, max: number) => {
    const of = `${what} ${JSON.stringify(text.slice(0, 40))}${text.length > 40 ? '…' : ''}`
    const refuse = (rule: string) => refusal(file ?? someFile ?? 'the recordings', `${of} ${rule}`)
    if (!hasAtMost(text, max)) throw refuse(`must have at most ${max.toLocaleString('en')} characters`)
    if (!isPlainText(text)) throw refuse(PLAIN_TEXT_RULE)
  }
  const names = (file: string | undefined, texts: Record<string, string>) => {
    for (const [what, text] of Object.entries(texts)) check(file, what, text, NAME_MAX)
  }
  names(undefined, { 'the name of the study': studyName })
  for (const { files, externalId, displayName, displayGender, notes, externalData } of participants) {
    const [file] = files
    names(file, { 'the id': externalId, 'the name': displayName, 'the gender': displayGender })
    check(file, 'the notes', notes, PROSE_MAX)
    let characters = externalId.length + displayName.length + displayGender.length + notes.length
    for (const [column, text] of externalData) {
      check(file, `the text of column ${column}`, text ?? '', PROSE_MAX)
      characters += text?.length ?? 0
    }
    if (characters > PARTICIPANT_TEXT_MAX)
      throw refusal(
        file ?? 'the recordings',
        `a participant must have at most ${PARTICIPANT_TEXT_MAX.toLocaleString('en')} characters of text together, not ${characters}`,
      )
  }
  for (const { filename, cdnUrl } of items) {
    names(undefined, { 'the name of the item': filename })
    check(undefined, 'the address of the item', cdnUrl, PROSE_MAX)
  }
  for (const { name } of aois) names(undefined, { 'the name of the AOI': name })
  for (const { participant, finishedOnKey, notes } of tests) {
    const file = participants[participant]?.files[0]
    names(file, { 'the key': finishedOnKey })
    check(file, 'the notes of a test', notes, PROSE_MAX)
  }
}
