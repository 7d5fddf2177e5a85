import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Screen } from '../engine/bids/sidecars.ts'
import { writeBids } from '../engine/bids/write-dataset.ts'
import type { Config } from '../engine/config.ts'
import { ServiceError } from '../engine/errors.ts'
import type { Plan } from '../engine/plan.ts'
import { isCode } from '../engine/store/durable.ts'
import type { Snapshot } from '../engine/study.ts'
import { progressLine } from './progress.ts'

/** `gazette export bids`: a folder, made aside, and called DIR once it is whole. */
export async function exportBids({
  plan,
  snapshot,
  output,
  screen,
  config,
  signal,
}: {
  plan: Plan
  snapshot: Snapshot
  output: string | undefined
  screen: Screen
  config: Config
  signal: AbortSignal
}): Promise<void> {
  if (output === undefined) throw new ServiceError('usage', 'gazette export bids needs -o DIR')
  const directory = resolve(output)
  await needEmpty(directory, output)
  const total = Math.max(1, snapshot.manifest.counts.samples)
  const line = progressLine('bids')
  let aside: string | undefined
  try {
    await mkdir(dirname(directory), { recursive: true })
    aside = await mkdtemp(`${directory}.part-`)
    const { subjects, tests, recordings, samples } = await writeBids({
      directory: aside,
      snapshot,
      plan,
      screen,
      memoryMib: config.engineMemoryMib,
      signal,
      onProgress: ({ samples, tests }) => line.show(samples / total, `${tests.toLocaleString('en')} tests`),
    })
    await rename(aside, directory)
    line.done()
    const count = (n: number, what: string) => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`
    const all = [count(subjects, 'participant'), count(tests, 'test'), count(samples, 'sample')]
    console.log(`${output}: ${all.join(', ')}`)
    if (recordings < tests)
      console.error(`${count(tests - recordings, 'test')} without a recording: events only (see docs/bids.md)`)
  } catch (error) {
    if (signal.aborted) throw new ServiceError('canceled', 'the export was canceled', { cause: error })
    if (isCode(error, 'ENOSPC', 'EDQUOT'))
      throw new ServiceError('disk_full', `the disk is full: ${output} was not written`)
    if (isCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR'))
      throw new ServiceError('usage', `${output} cannot be written: ${(error as NodeJS.ErrnoException).code}`)
    throw error
  } finally {
    line.done()
    if (aside !== undefined) await rm(aside, { recursive: true, force: true })
  }
}

async function needEmpty(directory: string, name: string): Promise<void> {
  try {
    if ((await readdir(directory)).length === 0) return
  } catch (error) {
    if (isCode(error, 'ENOENT')) return
    if (!isCode(error, 'ENOTDIR')) throw error
  }
  throw new ServiceError('usage', `${name} is there already: a dataset is made in a new or an empty folder`)
}

/** `--screen-distance` in m and `--screen-size` as WIDTHxHEIGHT in m. @throws ServiceError usage */
export function readScreen({ screenDistance, screenSize }: { screenDistance?: string; screenSize?: string }): Screen {
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
