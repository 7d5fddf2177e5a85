import { ServiceError } from '../../engine/model/errors.ts'
import type { BidsScreen } from '../../engine/products/package/bids/sidecars.ts'
import { type BidsWritten, writeBids } from '../../engine/products/package/bids/write-dataset.ts'
import { tablePlan } from '../given/table-plan.ts'
import { makeFolder } from '../output/new-folder.ts'
import { countText, grouped } from '../terminal/count.ts'
import { refusalOf } from '../terminal/file-refusals.ts'
import { progressLine } from '../terminal/progress.ts'
import type { Making, ProductOptions } from './making.ts'

/** Runs `gazette export bids`: writes a temporary folder, and renames it when it is complete. */
export async function exportBids({ snapshot, output, signal, config }: Making, options: ProductOptions): Promise<void> {
  // The fixations of the dataset are those of this export.
  const plan = await tablePlan({ name: 'fixations', format: 'csv', snapshot, config }, options)
  const screen = readScreen(options)
  if (output === undefined) throw new ServiceError('usage', 'gazette export bids needs -o DIR')
  const total = Math.max(1, snapshot.manifest.counts.samples)
  const line = progressLine('bids')
  const onProgress = ({ samples, tests }: BidsWritten) => line.show(samples / total, `${grouped(tests)} tests`)
  try {
    const { subjects, tests, recordings, samples } = await makeFolder(output, 'a dataset', (directory) =>
      writeBids({ directory, snapshot, plan, screen, signal, onProgress }),
    )
    line.done()
    const all = [countText(subjects, 'participant'), countText(tests, 'test'), countText(samples, 'sample')]
    console.log(`${output}: ${all.join(', ')}`)
    if (recordings < tests)
      console.error(`${countText(tests - recordings, 'test')} without a recording: events only (see docs/packages.md)`)
  } catch (error) {
    if (signal.aborted) throw new ServiceError('canceled', 'the export was canceled', { cause: error })
    throw refusalOf(error, output, 'written') ?? error
  } finally {
    line.done()
  }
}

/** Parses `--screen-distance` in m and `--screen-size` as WIDTHxHEIGHT in m. @throws ServiceError usage */
function readScreen({ screenDistance, screenSize }: { screenDistance?: string; screenSize?: string }): BidsScreen {
  const metres = (text: string) => (/^\d{1,3}(\.\d{1,6})?$/.test(text) && Number(text) > 0 ? Number(text) : null)
  const distanceM = screenDistance === undefined ? null : metres(screenDistance)
  const size = screenSize?.split('x').map(metres)
  if (screenDistance !== undefined && distanceM === null)
    throw new ServiceError('usage', `--screen-distance must be metres, such as 0.6, got ${screenDistance}`)
  if (size === undefined) return { distanceM, sizeM: null }
  const [width, height] = size
  if (size.length !== 2 || width === null || height === null)
    throw new ServiceError('usage', `--screen-size must be WIDTHxHEIGHT in metres, such as 0.53x0.3, got ${screenSize}`)
  return { distanceM, sizeM: [width, height] }
}
