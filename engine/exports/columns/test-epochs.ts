import type { TimeWindow } from '../../compute/time-window.ts'
import { type Column, column } from '../../model/columns.ts'
import type { ExportEntry } from './export-entry.ts'
import type { ExportContext, TestRun } from './test-context.ts'

/** The time around an event of a test; `event` is its index among those of its name, -1 if time is from item onset. */
export type TestEpoch = TimeWindow & { event: number; atUs: number; value: string }

/** Columns of the event of an epoch, in exports that have rows for each: docs/filter.md. */
export const EPOCH_COLUMNS: Column[] = [
  column('event_index', 'int', '', 'Number of the event among those of its name in the test, from 1'),
  column('event_name', 'string', '', 'Name of the event', null, { isGuarded: true }),
  column('event_at_ms', 'int', 'ms', 'Time of the event, from item onset'),
  column('event_value', 'string', '', 'Value of the event', '', { isGuarded: true }),
]

/** Returns whether an export has rows for each epoch of a test, and the columns of its event, if `eventType` asks. */
export function takesEpochs({ kind, takesWindow, takesLooks, timeColumn }: ExportEntry): boolean {
  return kind === 'rows' && !takesLooks && (takesWindow === true || timeColumn !== undefined)
}

/** Returns the epochs of a test, in order of time: one from item onset, or one for each event of the name. */
export function epochsOf({ identity }: Pick<TestRun, 'identity'>, context: ExportContext): TestEpoch[] {
  const { eventType, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = context.plan.parameters
  const epochAt = (atUs: number, event: number, value: string): TestEpoch => ({
    fromUs: atUs + fromMs * 1000,
    toUs: atUs + toMs * 1000,
    event,
    atUs,
    value,
  })
  if (eventType === undefined) return [epochAt(0, -1, '')]
  const { tUs, name, value } = context.eventsOf(identity.test)
  const own = [...tUs.keys()].filter((i) => name[i] === eventType)
  return own.map((i, event) => epochAt(tUs[i], event, value[i]))
}
