import { addProblem, type Problems } from '../../model/bundle-problems.ts'
import type { GivenValidation } from '../../snapshot/table-columns.ts'
import { LONG_TABLE_MAX_BYTES, VALIDATIONS_MAX } from './bundle-limits.ts'
import { instant, MAX_PX, numberCell, required, uuid } from './parse-cell.ts'
import { readTable, type Table, type TableRow } from './read-table.ts'

const px = numberCell(-MAX_PX, MAX_PX)
/** Rules for the cells of a validation. */
export const VALIDATION_CELLS = {
  participant_id: uuid,
  created_at: instant,
  target_x_px: required(px),
  target_y_px: required(px),
  gaze_x_px: px,
  gaze_y_px: px,
}

/**
 * Reads validations.csv.
 *
 * @param participants ids that a row may name; null if unknown, since their file could not be read
 * @returns the valid rows, in order
 */
export async function readValidations(
  table: Table,
  participants: Set<string> | null,
  problems: Problems,
): Promise<GivenValidation[]> {
  const { file } = table
  const bounded = { ...table, maxRows: VALIDATIONS_MAX, maxBytes: LONG_TABLE_MAX_BYTES }
  const validations: GivenValidation[] = []
  await readTable(bounded, VALIDATION_CELLS, problems, (row, line, isWhole) => {
    const participantId = row.participant_id
    if (participantId !== undefined && participants?.has(participantId) === false) {
      const rule = 'must be the id of a participant'
      addProblem(problems, { file, line, column: 'participant_id', value: participantId, rule })
    } else if (isWhole) validations.push(validationOfRow(row))
  })
  return validations
}

/** Converts a valid row to a validation. */
export function validationOfRow(row: TableRow<typeof VALIDATION_CELLS>): GivenValidation {
  const isLost = row.gaze_x_px === null || row.gaze_y_px === null
  return {
    participantId: row.participant_id!,
    createdAt: row.created_at!,
    targetXPx: row.target_x_px!,
    targetYPx: row.target_y_px!,
    gazeXPx: isLost ? null : row.gaze_x_px!,
    gazeYPx: isLost ? null : row.gaze_y_px!,
  }
}
