import type { Aoi, FixationsData } from '../core/api.ts'
import type { Numbers } from '../core/numbers-csv.ts'

/** Listed fixations, the AOIs of their item, and names of participants by id. */
type FixationsOf = { fixations: FixationsData; aois: Aoi[]; names: Map<string, string> }

/** Returns a table with one row per fixation, with the columns of the `fixations` export. */
export function fixationNumbers({ fixations, aois, names }: FixationsOf): Numbers {
  const rows = fixations.tests.flatMap(({ participantId, fixations: list }) =>
    list.map(([x, y, startMs, endMs, lengthPx, amplitude, saccadeMs, ...inAois], i) => [
      names.get(participantId) ?? participantId,
      i + 1,
      startMs,
      endMs,
      endMs - startMs,
      x,
      y,
      lengthPx,
      amplitude,
      saccadeMs,
      inAois.map((a) => aois[a].name).join(' | '),
    ]),
  )
  const columns = [
    'participant',
    'fixation_index',
    'fixation_starts_at_ms',
    'fixation_ends_at_ms',
    'fixation_duration_ms',
    'fixation_point_x',
    'fixation_point_y',
    'saccade_length_px',
    'saccade_amplitude_percent',
    'saccade_duration_ms',
    'aois',
  ]
  return { columns, rows }
}
