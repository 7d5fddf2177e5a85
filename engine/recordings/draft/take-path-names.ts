import { type Draft, itemOf, type PathNames, participantOf } from './draft.ts'
import { takeItems, takeParticipants } from './keep-tests.ts'

/** Item of tests about which a table says nothing. */
export const UNNAMED_ITEM = 'item'

/**
 * Gives tests the participant, item, session and trial that the paths of their files name, whatever the format. A
 * trial names the item of tests without one.
 */
export function takePathNames(draft: Draft): void {
  if (draft.pathNames.size === 0) return
  const [people, items] = [new Set<number>(), new Set<number>()]
  const followers = new Map<number, number>()
  for (const test of draft.tests) {
    const names = draft.pathNames.get(test.file)
    if (names === undefined) continue
    const { participant, item } = test
    const person = names.participant === undefined ? participant : namedPerson(draft, participant, names, test.file)
    if (person !== participant) people.add(participant)
    if (person !== participant) followers.set(participant, person)
    test.participant = person
    const isUnnamed = draft.items[item].key === UNNAMED_ITEM
    const shown = names.item ?? (isUnnamed && names.trial !== undefined ? names.trial : null)
    if (shown !== null) test.item = itemOf(draft, shown)
    if (test.item !== item) items.add(item)
    test.notes = notesOf(names, test.notes)
  }
  for (const one of draft.validations) one.participant = followers.get(one.participant) ?? one.participant
  const isGone = (gone: Set<number>, of: 'participant' | 'item', index: number) =>
    gone.has(index) && draft.tests.every((test) => test[of] !== index)
  let next = 0
  takeParticipants(
    draft,
    Int32Array.from(draft.participants, (_, i) => (isGone(people, 'participant', i) ? -1 : next++)),
  )
  next = 0
  takeItems(
    draft,
    Int32Array.from(draft.items, (_, i) => (isGone(items, 'item', i) ? -1 : next++)),
  )
}

/** Returns the participant that a path names, with the facts of the one that its file names. */
function namedPerson(draft: Draft, participant: number, { participant: name = '' }: PathNames, file: string): number {
  const { tags, externalData, facts, age, gender, createdAt } = draft.participants[participant]
  if (draft.participants[participant].key === name) return participant
  const given = { age, gender, createdAt, tags: new Map(tags), externalData: new Map(externalData) }
  const person = participantOf(draft, { name: file }, name, { ...given, facts: new Map(facts) })
  if (draft.shownTo.has(participant)) draft.shownTo.set(person, 0)
  return person
}

function notesOf({ session, trial }: PathNames, notes: string): string {
  const said = [
    ...(session === undefined ? [] : [`session ${session}`]),
    ...(trial === undefined || /^trial /.test(notes) ? [] : [/^trial/i.test(trial) ? trial : `trial ${trial}`]),
  ]
  return [...said, ...(notes === '' ? [] : [notes])].join(', ')
}
