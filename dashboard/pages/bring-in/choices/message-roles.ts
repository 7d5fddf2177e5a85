import type { Choices } from './choices.ts'

/** Meanings of a message, in words. */
export const MESSAGE_ROLES = {
  '': '– default',
  trialMessage: 'begins a trial',
  endMessage: 'ends a trial',
  shown: 'shows and names the item',
  itemMessage: 'names the item',
  onsetMessage: 'shows the item',
  eventMessage: 'is an event',
}
export type MessageRole = keyof typeof MESSAGE_ROLES

type Named = Exclude<MessageRole, '' | 'shown'>
type Message = { example: string; begins: string }
type Patterns = Pick<Choices, Named>

/** Choices that hold the pattern for each role of messages; the first match is the role of a message. */
const HOLDERS: Record<MessageRole, Named[]> = {
  shown: ['itemMessage', 'onsetMessage'],
  trialMessage: ['trialMessage'],
  endMessage: ['endMessage'],
  itemMessage: ['itemMessage'],
  onsetMessage: ['onsetMessage'],
  eventMessage: ['eventMessage'],
  '': [],
}

/** Clock that precedes the text of some messages. */
const CLOCK = '^(?:-?\\d+\\s+)?'

/** Returns the role that the choices give a message. */
export function roleOf(message: Message, choices: Patterns): MessageRole {
  const holds = (name: Named) => choices[name] === patternOf(message, name)
  const roles = Object.entries(HOLDERS) as [MessageRole, Named[]][]
  return roles.find(([, holders]) => holders.every(holds))![0]
}

/** Returns the changes of the choices that give a message a role and remove its former one. */
export function withMessageRole(message: Message, role: MessageRole, choices: Patterns): Partial<Patterns> {
  const former = HOLDERS[roleOf(message, choices)]
  return {
    ...Object.fromEntries(former.map((name) => [name, ''])),
    ...Object.fromEntries(HOLDERS[role].map((name) => [name, patternOf(message, name)])),
  }
}

/**
 * Returns the pattern of all messages with the same beginning. The rest is the name of a trial or item, or the value of
 * an event; in a single word, all of it.
 */
export function patternOf({ example, begins }: Message, role: Named): string {
  const fixed = fixedPart(example, begins, role === 'trialMessage' || role === 'itemMessage')
  const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  if (role === 'trialMessage' || role === 'itemMessage')
    return fixed === '' ? `${CLOCK}(${escaped(begins)}.*)` : `${CLOCK}${escaped(fixed)}(.+)`
  return role === 'eventMessage' ? `${CLOCK}(${escaped(fixed.trim())})(.*)` : `${CLOCK}${escaped(fixed)}`
}

/**
 * Returns the fixed text before the variable part, in whole words.
 *
 * @param hasName true if the last word always varies
 */
function fixedPart(example: string, begins: string, hasName: boolean): string {
  const isWhole = begins.length === example.length
  if (isWhole && !hasName) return begins
  const words = begins.slice(0, isWhole ? -1 : undefined)
  return /^.*[\s:;,=]/s.exec(words)?.[0] ?? ''
}
