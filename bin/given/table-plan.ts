import { makePlan } from '../../engine/exports/make-plan.ts'
import { EXPORTS, findExport } from '../../engine/exports/registry.ts'
import { ServiceError } from '../../engine/model/errors.ts'
import type { FormatName } from '../../engine/model/format-names.ts'
import { didYouMean, nearest } from '../../engine/model/nearest.ts'
import type { Plan } from '../../engine/model/plan.ts'
import type { Config } from '../../engine/model/settings.ts'
import type { Snapshot } from '../../engine/model/study.ts'
import { type ParameterOptions, readParameters } from './export-options.ts'

/** A table to make of a study, as the options of a command ask for it. */
type AskedTable = { name: string; format: FormatName; snapshot: Snapshot; config: Config }

/**
 * Makes the plan of a table.
 *
 * @param others further names that the command takes, for its error
 * @throws ServiceError usage, invalid_param, format_limit
 */
export async function tablePlan(
  { name, format, snapshot, config: { formulaGuard } }: AskedTable,
  options: ParameterOptions,
  others: string[] = [],
): Promise<Plan> {
  const entry = findExport(name)
  if (!entry) {
    const names = [...EXPORTS.map((known) => known.name), ...others]
    const near = nearest(name, names).nearest
    throw new ServiceError(
      'usage',
      `there is no export ${name}${didYouMean(near) || `; there are ${names.join(', ')}`}`,
    )
  }
  const parameters = await readParameters(options, snapshot)
  return makePlan({ snapshot, exportName: entry.name, parameters, formulaGuard, format })
}
