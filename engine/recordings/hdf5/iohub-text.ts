import { ServiceError } from '../../model/errors.ts'
import { closing } from '../../storage/concurrency/closing.ts'
import { checkRatio } from '../../storage/files/gzip-ratio.ts'
import { cellOf } from '../workbook/cell-texts.ts'
import type { Sheet } from '../workbook/workbook.ts'
import { type Hdf5, type Hdf5Field, type Hdf5Table, numberOf, openHdf5, rowsAtOnce, textOf } from './open-hdf5.ts'

/** Groups and tables of PsychoPy's ioHub: samples, messages and sessions. */
const EYES = '/data_collection/events/eyetracker'
const MESSAGES = '/data_collection/events/experiment/MessageEvent'
const SESSIONS = '/data_collection/session_meta_data'
const SAMPLES = /^(Binocular|Monocular)?EyeSampleEvent$/
/** Fields of samples that are read: the others are places in the tracker's camera, angles and velocities. */
const KEPT = /^(session_id|time|((left|right)_)?(gaze_[xy]|pupil_measure1)|x|y|pupil|status)$/
/** Largest numbers of messages and of sessions in memory. */
const [MESSAGES_MAX, SESSIONS_MAX] = [1_000_000, 10_000]

/** Type of the rows of messages, beside that of samples, which is the name of their table. */
const MESSAGE_TYPE = 'MessageEvent'

/**
 * Lists the tables of eye samples in a file of PsychoPy's ioHub, without empty ones.
 *
 * @returns null for any other HDF5 file
 * @throws ServiceError invalid_bundle for a damaged file
 */
export async function ioHubTables(path: string, name: string): Promise<Sheet[] | null> {
  return closing(await openHdf5(path, name), async (file) => {
    const names = file.list(EYES).filter((one) => SAMPLES.test(one))
    const filled = names.filter((one) => (file.table(`${EYES}/${one}`)?.rows ?? 0) > 0)
    return filled.length === 0 ? null : filled.map((one) => ({ name: one, part: `${EYES}/${one}` }))
  })
}

/** Lists the texts of all messages in a file of ioHub. @throws ServiceError invalid_bundle for a damaged file */
export async function ioHubMessages({ path, name }: { path: string; name: string }): Promise<string[]> {
  return closing(await openHdf5(path, name), async (file) => {
    return [...messagesOf(file, name).values()].flat().map(({ text }) => text)
  })
}

type Message = { timeS: number; text: string }

/**
 * Yields the samples of a table, and the messages of the experiment between them, as a table of text with tabs, in
 * bounded memory. Times are in s.
 *
 * @param onShare receives the share read so far, 0 to 1
 * @throws ServiceError invalid_bundle for a damaged file
 */
export async function* ioHubText(
  { path, name, sheet }: { path: string; name: string; sheet: string },
  onShare: (share: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const file = await openHdf5(path, name)
  try {
    const table = file.table(sheet)
    const fields = table?.fields.filter((field) => KEPT.test(field.name) && field.kind !== 'text') ?? []
    const [time, session] = ['time', 'session_id'].map((of) => fields.find((field) => field.name === of))
    if (!table || !time || !session)
      throw new ServiceError('invalid_bundle', `${name} has eye samples without times, so it is no file of ioHub`)
    const shown = fields.filter((field) => field !== session && field !== time)
    const people = peopleOf(file)
    const messages = messagesOf(file, name)
    const type = sheet.slice(sheet.lastIndexOf('/') + 1)
    const lead = people === null ? '' : 'participant\t'
    const who = (id: number) => (people === null ? '' : `${people.get(id) ?? `session ${id}`}\t`)
    const messageLine = (id: number, { timeS, text }: Message) =>
      `${who(id)}${MESSAGE_TYPE}\t${timeS}\t${'\t'.repeat(shown.length)}${text}\n`
    const waiting = (id: number, untilS: number) => {
      const own = messages.get(id) ?? []
      const n = own.findIndex(({ timeS }) => timeS > untilS)
      return own.splice(0, n < 0 ? own.length : n).map((message) => messageLine(id, message))
    }
    yield Buffer.from(`${lead}type\ttime\t${shown.map((field) => field.name).join('\t')}\tmessage\n`)
    let [current, written] = [Number.NaN, 0]
    for (let from = 0; from < table.rows; from += rowsAtOnce(table.rowBytes)) {
      const view = table.read(from, table.rows - from)
      const lines: string[] = []
      for (let row = 0; row < view.byteLength; row += table.rowBytes) {
        const [id, timeS] = [numberOf(view, row, session), numberOf(view, row, time)]
        if (id !== current) lines.push(...waiting(current, Number.POSITIVE_INFINITY))
        current = id
        const next = messages.get(id)?.[0]
        if (next !== undefined && next.timeS <= timeS) lines.push(...waiting(id, timeS))
        let line = `${who(id)}${type}\t${timeS}`
        for (const field of shown) line += `\t${cellText(view, row, field)}`
        lines.push(line, '\t\n')
      }
      onShare(from / table.rows)
      const text = Buffer.from(lines.join(''))
      written += text.length
      checkRatio(name, written, file.sizeBytes)
      yield text
    }
    yield Buffer.from(waiting(current, Number.POSITIVE_INFINITY).join(''))
  } finally {
    await file.close()
  }
}

/** Writes a number with the digits that it has; '' for NaN. */
function cellText(view: DataView, row: number, field: Hdf5Field): string {
  const value = numberOf(view, row, field)
  if (Number.isNaN(value)) return ''
  return field.kind === 'float' && field.sizeBytes === 4 ? String(Number(value.toPrecision(9))) : String(value)
}

/** Reads some columns of all rows of a table that fits into memory. @param most largest number of rows */
function* rowsOf(table: Hdf5Table | null, names: string[], most: number): Generator<(string | number)[]> {
  const fields = names.map((name) => table?.fields.find((field) => field.name === name))
  if (table === null || fields.includes(undefined)) return
  const rows = Math.min(table.rows, most)
  for (let from = 0; from < rows; from += rowsAtOnce(table.rowBytes)) {
    const view = table.read(from, rows - from)
    for (let row = 0; row < view.byteLength; row += table.rowBytes)
      yield fields.map((field) => (field!.kind === 'text' ? textOf(view, row, field!) : numberOf(view, row, field!)))
  }
}

/** Reads the messages of each session, in the order of their times. @throws ServiceError for too many */
function messagesOf(file: Hdf5, name: string): Map<number, Message[]> {
  const table = file.table(MESSAGES)
  if ((table?.rows ?? 0) > MESSAGES_MAX)
    throw new ServiceError('invalid_bundle', `${name} has more than ${MESSAGES_MAX} messages`)
  const messages = new Map<number, Message[]>()
  for (const [id, timeS, offsetS, text] of rowsOf(table, ['session_id', 'time', 'msg_offset', 'text'], MESSAGES_MAX)) {
    const own = messages.get(Number(id)) ?? []
    messages.set(Number(id), own)
    own.push({ timeS: Number(timeS) + (Number(offsetS) || 0), text: cellOf(String(text)) })
  }
  for (const own of messages.values()) own.sort((a, b) => a.timeS - b.timeS)
  return messages
}

const PARTICIPANT = /^(participant|subject|proband)([ _]?(id|name|nr|code))?$/i

/** Names the participant of each session, by its variables or its code; null if its one session names nobody. */
function peopleOf(file: Hdf5): Map<number, string> | null {
  const named = new Map<number, string>()
  const codes = new Map<number, string>()
  const rows = rowsOf(file.table(SESSIONS), ['session_id', 'code', 'user_variables'], SESSIONS_MAX)
  for (const [id, code, variables] of rows) {
    codes.set(Number(id), cellOf(String(code)))
    const person = participantIn(String(variables))
    if (person !== null) named.set(Number(id), person)
  }
  if (named.size === codes.size && named.size > 0) return named
  return codes.size > 1 ? codes : null
}

function participantIn(variables: string): string | null {
  try {
    const found = Object.entries(JSON.parse(variables) as object).find(([name]) => PARTICIPANT.test(name))
    const text = cellOf(String(found?.[1] ?? ''))
    return text === '' ? null : text
  } catch {
    return null
  }
}
