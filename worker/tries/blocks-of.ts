import { formatOf } from '../../engine/formats/formats.ts'
import { type FilePlan, isPackage } from '../../engine/model/plan.ts'
import type { PackageOptions } from '../../engine/products/package/package-members.ts'
import { zipPackage } from '../../engine/products/package/zip-package.ts'
import type { Part } from '../../engine/run/parts/part-file.ts'
import { type PartBlock, runPart } from '../../engine/run/parts/run-part.ts'
import { type Block, type RunOptions, type RunProgress, runExport } from '../../engine/run/run-export.ts'

export type BlocksOf = (
  plan: FilePlan,
  options: Omit<PackageOptions, 'plan'> & Pick<RunOptions, 'lookAhead' | 'only'>,
  part?: Part,
) => AsyncGenerator<Block & Partial<PartBlock>, RunProgress>

/** Returns the bytes of a plan's file, of one of its files, or of a part to be composed. @throws as `runExport` */
export const blocksOf: BlocksOf = (plan, options, part) => {
  if (isPackage(plan)) return zipPackage({ plan, ...options })
  const run = { plan, gzip: formatOf(plan).hasGzip, ...options }
  return part ? runPart(run, part) : runExport(run)
}
