import { type Draft, type DraftParticipant, noteLeft } from '../draft/draft.ts'
import { ageIn, genderIn } from '../reader/person-facts.ts'
import type { SourceFile } from '../text/source-files.ts'
import { splitRows } from '../text/split-rows.ts'

/**
 * Respondent of an iMotions recording, from the lines above its table: `#Respondent Name,Kim`, and age, gender, group.
 */
type Respondent = { name: string; facts: Partial<DraftParticipant> }

const LINE = /^"?#Respondent (\w+)"?,/

/** Returns the respondent of a file; null if it names none. */
export function respondentIn({ name: fileName, head }: SourceFile, draft: Draft): Respondent | null {
  const said = new Map<string, string>()
  for (const line of head.split('\n', 200)) {
    const what = LINE.exec(line)?.[1]
    if (what) said.set(what.toLowerCase(), (splitRows(line, ',')[0]?.[1] ?? '').trim())
    else if (/^"?#DATA\b/.test(line)) break
  }
  const name = said.get('name')
  if (!name || /^(anonymous|unknown|n\/?a)$/i.test(name)) return null
  if (said.get('group'))
    noteLeft(draft, 'groups of respondents, which stand above the table: add them as a column, if you need them', 1, {
      file: fileName,
      first: said.get('group'),
    })
  return { name, facts: { age: ageIn(said.get('age') ?? ''), gender: genderIn(said.get('gender') ?? '') } }
}
