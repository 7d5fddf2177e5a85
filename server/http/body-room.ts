import { ProblemError } from './problems.ts'

/** Memory for bodies, from their first byte until they are answered: of all clients so much, and of one half of it. */
export type BodyRoom = { enter: (owner: string) => BodyPlace }
export type BodyPlace = {
  /** Notes bytes that have come. A body that is the only one of all, or of its owner, may exceed the room. @throws ProblemError overloaded */
  grow: (bytes: number) => void
  leave: () => void
}

export function openBodyRoom(maxBytes: number): BodyRoom {
  const held = new Map<string, number>()
  let total = 0
  const add = (owner: string, bytes: number) => {
    total += bytes
    const ofOwner = (held.get(owner) ?? 0) + bytes
    if (ofOwner === 0) held.delete(owner)
    else held.set(owner, ofOwner)
    return ofOwner
  }
  return {
    enter: (owner) => {
      let own = 0
      let isLeft = false
      return {
        grow: (bytes) => {
          if (isLeft) return
          own += bytes
          const ofOwner = add(owner, bytes)
          const isOver = (ofOwner > maxBytes / 2 && ofOwner > own) || (total > maxBytes && total > own)
          if (isOver) throw new ProblemError('overloaded')
        },
        leave: () => {
          if (!isLeft) add(owner, -own)
          isLeft = true
        },
      }
    },
  }
}
