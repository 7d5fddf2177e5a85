import { type Fault, ServiceError } from '../../engine/model/errors.ts'
import { didYouMean } from '../../engine/model/nearest.ts'
import type { PackagePlan } from '../../engine/model/plan.ts'
import { makePackagePlan, PACKAGE_FORMATS, readExports } from '../../engine/products/package/make-package-plan.ts'
import { writePackage } from '../../engine/products/package/write-package.ts'
import { zipPackage } from '../../engine/products/package/zip-package.ts'
import { createPool } from '../../engine/run/pool/pool.ts'
import type { RunProgress } from '../../engine/run/run-export.ts'
import { readParameters } from '../given/export-options.ts'
import { makeFolder } from '../output/new-folder.ts'
import { refuseOutput, toFile } from '../output/write-table.ts'
import { countText } from '../terminal/count.ts'
import { bytesText, progressLine } from '../terminal/progress.ts'
import type { Making, ProductOptions } from './making.ts'

/**
 * Runs `gazette export package`: writes a folder, or a ZIP file if the name ends in .zip; it appears only when it is
 * complete.
 */
export async function exportPackage(making: Making, options: ProductOptions): Promise<void> {
  const { snapshot, output, force, config, signal } = making
  const plan = await packagePlanOf(making, options)
  if (output === undefined) throw new ServiceError('usage', 'gazette export package needs -o DIR or -o FILE.zip')
  const isZip = /\.zip$/i.test(output)
  if (isZip) await refuseOutput(output, 'zip', force, signal)
  let last: RunProgress = { samplesDone: 0, samplesTotal: 0, rows: 0, bytes: 0 }
  const line = progressLine('package')
  const written = () => `${countText(last.rows, 'row')}, ${bytesText(last.bytes)} of tables`
  const onProgress = (progress: RunProgress) => {
    last = progress
    line.show(last.samplesTotal === 0 ? 1 : last.samplesDone / last.samplesTotal, written())
  }
  const pool = createPool({ threads: config.engineThreads })
  try {
    const writing = { plan, snapshot, pool, signal, onProgress }
    if (isZip) await toFile(output, zipPackage(writing), signal)
    else await makeFolder(output, 'a package', (directory) => writePackage(directory, writing))
  } finally {
    line.done()
    await pool.close()
  }
  console.error(`${output}: ${written()}`)
}

/** Makes the plan of a package from the options of the command. @throws ServiceError usage, invalid_param */
async function packagePlanOf(
  { snapshot, format, config: { formulaGuard } }: Making,
  { exports: names, ...options }: ProductOptions,
): Promise<PackagePlan> {
  const known = PACKAGE_FORMATS.find((name) => name === format)
  if (known === undefined)
    throw new ServiceError('usage', `the tables of a package are ${PACKAGE_FORMATS.join(' or ')}, not ${format}`)
  const faults: Fault[] = []
  const exports = names === undefined ? null : readExports(String(names), faults)
  if (faults.length > 0) {
    const [{ rule, value, nearest }] = faults
    throw new ServiceError('usage', `--exports ${rule}, got ${JSON.stringify(value)}${didYouMean(nearest)}`)
  }
  return makePackagePlan({
    snapshot,
    exports,
    parameters: await readParameters(options, snapshot),
    formulaGuard,
    format: known,
  })
}
