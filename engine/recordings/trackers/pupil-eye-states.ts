import { eyeColumn } from '../draft/batch.ts'
import { type Draft, noteLeft } from '../draft/draft.ts'
import { noteRecording } from '../draft/recording-facts.ts'
import type { SampleTable } from '../reader/sample-tables.ts'
import type { ValueColumn } from '../reader/value-columns.ts'
import { folderOf } from '../text/file-names.ts'
import { columnIn, hasColumns, tableHead } from '../text/foreign-table.ts'
import { msAfter, type Nanoseconds, nanosecondsIn } from '../text/parse-number.ts'
import type { SourceFile } from '../text/source-files.ts'
import { forEachRow } from '../text/table-body.ts'
import { cellNumber, cellText, repeatedText } from '../text/table-rows.ts'

/** Values of VALUES in a recording, ordered by time; times are ms after `base`. */
type EyeStates = { base: Nanoseconds; ms: number[]; values: number[][] }

const TIME = 'timestamp [ns]'
const VALUES = [
  { into: 'leftPupil', name: 'pupil diameter left [mm]', unit: 'mm' },
  { into: 'rightPupil', name: 'pupil diameter right [mm]', unit: 'mm' },
] as const satisfies ValueColumn[]
/** Largest difference of equal times, in ms: gaze and eye states come from the same picture of the eyes. */
const SAME_MS = 1e-3

/** Reads the pupil sizes in `3d_eye_states.csv` of a recording's folder, by recording id. */
async function readEyeStates(folder: string, all: SourceFile[], draft: Draft): Promise<Map<string, EyeStates>> {
  const found = new Map<string, EyeStates>()
  for (const file of all) {
    const table = folderOf(file.name) === folder ? tableHead(file) : null
    if (table === null || !hasColumns(table.header, TIME, ...VALUES.map(({ name }) => name))) continue
    draft.usedFiles.add(file.name)
    const time = columnIn(table.header, TIME)
    const cells = VALUES.map(({ name }) => columnIn(table.header, name))
    const id = repeatedText(columnIn(table.header, 'recording id'))
    await forEachRow(file, draft, (rows) => {
      const at = nanosecondsIn(cellText(rows, time))
      if (at === null) return
      const states = found.get(id(rows)) ?? { base: at, ms: [], values: VALUES.map(() => []) }
      found.set(id(rows), states)
      states.ms.push(msAfter(states.base, at))
      for (const [k, cell] of cells.entries()) states.values[k].push(cellNumber(rows, cell, table.decimalMark))
    })
  }
  return found
}

/** Reads the pupils of samples. */
export type PupilReader = {
  /** Begins a recording, whose times are ms after `origin`. */
  start: (id: string, origin: Nanoseconds) => void
  /** Writes the sizes at a time to sample `i`; NaN if there are none, or the glasses were off. */
  read: (tMs: number, i: number, isOff: boolean) => void
  /** Reports the number of sizes without a gaze. */
  end: () => void
}

/** Opens the pupils beside a table of gaze; null if there are none. */
export async function openPupils({ file, batch, draft }: SampleTable, all: SourceFile[]): Promise<PupilReader | null> {
  const byId = await readEyeStates(folderOf(file.name), all, draft)
  if (byId.size === 0) return null
  noteRecording(draft, { pupilUnit: 'mm' })
  const columns = VALUES.map(({ into }) => eyeColumn(batch, into))
  let states: EyeStates | undefined
  let [offsetMs, at, taken] = [0, 0, 0]
  return {
    start: (id, origin) => {
      states = byId.get(id) ?? (byId.size === 1 ? byId.get('') : undefined)
      offsetMs = states ? msAfter(origin, states.base) : 0
      at = 0
    },
    read: (tMs, i, isOff) => {
      for (const column of columns) column[i] = Number.NaN
      if (states === undefined) return
      const { ms } = states
      if (at > 0 && ms[at - 1] + offsetMs >= tMs - SAME_MS) at = 0
      while (at < ms.length && ms[at] + offsetMs < tMs - SAME_MS) at++
      if (at === ms.length || ms[at] + offsetMs > tMs + SAME_MS) return
      taken++
      if (isOff) return
      for (const [k, column] of columns.entries()) column[i] = states.values[k][at]
    },
    end: () => {
      const all = [...byId.values()].reduce((sum, one) => sum + one.ms.length, 0)
      noteLeft(draft, 'pupil sizes at times without gaze of an item', Math.max(0, all - taken), { file: file.name })
    },
  }
}
