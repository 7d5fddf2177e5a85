import { isMissing } from '../../../isomorphic/missing-text.ts'
import { type Draft, type DraftEvent, noteLeft } from '../draft/draft.ts'
import { addEvent, eventIn, OUTSIDE_EVENT } from '../draft/draft-events.ts'
import { addSeen } from '../draft/seen-messages.ts'
import type { Mapping } from '../reader/mapping.ts'
import type { ReadOptions } from '../reader/reader.ts'
import type { SampleTable } from '../reader/sample-tables.ts'
import { isEmptyCell, repeatedText, type TableRows } from '../text/table-rows.ts'

/** Names of the test of a message, if that test has no sample yet; `what` may be empty. */
export type Whose = { who: string; what: string; which: string }

/** Reads a table's messages, from the mapping's column `events`. */
export type Messages = {
  /** Starts a table. */
  open: (table: SampleTable) => void
  /** Returns whether a row that is not a sample has a message. */
  hasOne: (rows: TableRows) => boolean
  /** Returns the message of a row. */
  textOf: (rows: TableRows) => string
  /** Returns whether a sample's message differs from that of the sample before. */
  changed: (rows: TableRows) => boolean
  /** Takes the message of a row: for a test, for the next test with these names, or for no test. */
  take: (rows: TableRows, tMs: number, of: number | Whose | null) => void
  /** Assigns to a test the messages that came before its first sample. */
  begin: (test: number, whose: Whose) => void
  /** Drops messages whose test never began. */
  end: () => void
}

export function openMessages(
  draft: Draft,
  { events: name, rows: only }: Mapping,
  { events: pattern }: ReadOptions,
): Messages {
  let text: (rows: TableRows) => string = () => ''
  let [cell, last] = [-1, '']
  const waiting: (Omit<DraftEvent, 'test'> & Whose)[] = []
  const isOf = (asked: string, known: string) => isMissing(asked) || asked === known
  return {
    open: ({ column }) => {
      cell = name == null ? -1 : column(name)
      text = repeatedText(cell)
      last = ''
    },
    textOf: (rows) => text(rows),
    hasOne: (rows) => cell >= 0 && !isEmptyCell(rows, cell),
    changed: (rows) => {
      if (cell < 0 || only !== null) return false
      const now = text(rows)
      if (now === last) return false
      last = now
      return !isMissing(now)
    },
    take: (rows, tMs, of) => {
      const message = text(rows)
      const event = eventIn(message, pattern)
      if (!pattern && !isMissing(message)) addSeen(draft.messages, message)
      if (!event || isMissing(message)) return
      if (typeof of === 'number') addEvent(draft, { ...event, tMs, test: of })
      else if (of === null) noteLeft(draft, OUTSIDE_EVENT, 1, { first: event.name })
      else waiting.push({ ...event, tMs, ...of })
    },
    begin: (test, { who, what, which }) => {
      for (const { who: ofWho, what: ofWhat, which: ofWhich, ...event } of waiting.splice(0))
        if (isOf(ofWho, who) && isOf(ofWhat, what) && isOf(ofWhich, which)) addEvent(draft, { ...event, test })
        else noteLeft(draft, OUTSIDE_EVENT, 1, { first: event.name })
    },
    end: () => noteLeft(draft, OUTSIDE_EVENT, waiting.splice(0).length),
  }
}
