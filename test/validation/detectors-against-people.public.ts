import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { detectFixations } from '../../engine/compute/detectors/detect-fixations.ts'
import { createFixations } from '../../engine/compute/fixation-list.ts'
import { createGaze, denoise } from '../../engine/compute/gaze.ts'
import { checkParameters } from '../../engine/model/check-parameters.ts'
import { seeded } from '../../isomorphic/random.ts'
import { canRun, PYTHON } from '../programs.ts'
import { type Clone, cloneOf, inPython, noteMissing, noteTable } from './public-data.ts'

/** A recording of Lund2013 with the labels of two people: 1 is fixation, 4 pursuit, 5 blink, 6 undefined, 0 none. */
type Labelled = {
  name: string
  kind: 'img' | 'dots' | 'video'
  rateHz: number
  x: number[]
  y: number[]
  first: number[]
  second: number[]
}

/** The same as seen at another rate. */
type Seen = {
  rateHz: number
  tMs: number[]
  x: (number | null)[]
  y: (number | null)[]
  first: number[]
  second: number[]
}

/** Cohen's κ with the first person and with the second. */
type Agreement = { first: number; second: number }

const DISPLAY = { leftPx: 0, topPx: 0, widthPx: 1024, heightPx: 768 }
/** Kinds of recording that presets are for, made of those at 500 Hz. Noise is that of webcams: 1.4 % of the width. */
const KINDS = [
  { preset: 'webcam', rateHz: 30, noisePx: 14, is: '30 Hz, with noise of 14 px' },
  { preset: 'lab-60', rateHz: 60, noisePx: 0, is: '60 Hz' },
  { preset: 'lab-500', rateHz: 500, noisePx: 0, is: '500 Hz' },
]
const LUND = 'richardandersson/EyeMovementDetectorEvaluation'
const OTHERS = ['dcnieho/I2MC_Python', 'psychoinformatics-de/remodnav', 'pymovements/pymovements', 'tmalsburg/saccades']

/** Takes every nth sample of a recording, and adds noise. */
function seenAt({ rateHz: recordedHz, x, y, first, second }: Labelled, hz: number, noisePx: number): Seen {
  const random = seeded(7)
  // The sum of twelve is close to a normal distribution.
  const noise = () => noisePx * (Array.from({ length: 12 }, random).reduce((sum, each) => sum + each) - 6)
  const rateHz = Math.min(hz, recordedHz)
  const seen: Seen = { rateHz, tMs: [], x: [], y: [], first: [], second: [] }
  for (let k = 0, i = 0; i < x.length; i = Math.round((++k * recordedHz) / rateHz)) {
    const isLost = x[i] === 0 && y[i] === 0
    seen.tMs.push((k * 1000) / rateHz)
    seen.x.push(isLost ? null : x[i] + noise())
    seen.y.push(isLost ? null : y[i] + noise())
    seen.first.push(first[i])
    seen.second.push(second[i])
  }
  return seen
}

/** Returns start and end of the fixations of a recording, in ms. */
function fixationsOf({ tMs, x, y }: Seen, given: Record<string, string>): number[][] {
  const { parameters } = checkParameters(new Map(Object.entries(given).map(([name, value]) => [name, [value]])))
  const n = tMs.length
  const columns = { scrollYPx: new Float64Array(n), mouseXPx: new Float64Array(n), mouseYPx: new Float64Array(n) }
  const [gazeXPx, gazeYPx] = [x, y].map((axis) => Float64Array.from(axis, (value) => value ?? Number.NaN))
  const tUs = Float64Array.from(tMs, (t) => Math.round(t * 1000))
  const samples = { n, tUs, gazeXPx, gazeYPx, isClick: new Uint8Array(n), ...columns }
  const [gaze, found] = [createGaze(), createFixations()]
  const { mergeGapMs, detector } = parameters!
  denoise(samples, DISPLAY, parameters!.movingMedianRangeMs, gaze)
  const settings = { ...parameters!, mergeGapMs: detector === 'i2mc' && mergeGapMs === 0 ? 30 : mergeGapMs }
  detectFixations(gaze, DISPLAY, settings, found, { samples, screen: null })
  return Array.from({ length: found.n }, (_, f) => [found.startUs[f] / 1000, found.endUs[f] / 1000])
}

/** Returns Cohen's κ of fixations with each person, over the samples that neither labelled as blink or undefined. */
function agreement(recordings: Seen[], fixations: number[][][]): Agreement {
  const counted = { both: [0, 0], own: 0, theirs: [0, 0], neither: [0, 0], n: 0 }
  for (const [r, { tMs, first, second }] of recordings.entries()) {
    const isIn = tMs.map(() => false)
    // Half a microsecond, since programs round times.
    for (const [start, end] of fixations[r])
      for (const [i, t] of tMs.entries()) if (t >= start - 0.0005 && t <= end + 0.0005) isIn[i] = true
    for (const [i, label] of first.entries()) {
      if ([label, second[i]].some((each) => each > 4) || label === 0) continue
      counted.n++
      if (isIn[i]) counted.own++
      for (const [p, other] of [label, second[i]].entries()) {
        if (other === 1) counted.theirs[p]++
        if (isIn[i] === (other === 1)) counted.both[p]++
      }
    }
  }
  const { n, own, theirs, both } = counted
  const [first, second] = theirs.map((count, p) => {
    const byChance = (own * count + (n - own) * (n - count)) / (n * n)
    return (both[p] / n - byChance) / (1 - byChance)
  })
  return { first, second }
}

/** Returns the fixations that another program finds, by its name; none where it cannot run. */
function fixationsBy(clone: Clone, recordings: Seen[]): Record<string, (number[][] | null)[]> {
  const name = clone.repository.split('/')[1]
  if (name !== 'saccades') {
    const found = inPython('detectors.py', [name, clone.folder], recordings) as Record<string, (number[][] | null)[]>
    return Object.fromEntries(Object.entries(found).map(([which, each]) => [`${name} ${which}`.trim(), each]))
  }
  const folder = mkdtempSync(join(tmpdir(), 'gazette-saccades-'))
  try {
    const path = join(folder, 'samples.csv')
    const cell = (value: number | null) => value ?? 'NA'
    const rows = recordings.flatMap(({ tMs, x, y }, r) => tMs.map((t, i) => [r, t, cell(x[i]), cell(y[i])].join()))
    writeFileSync(path, ['trial,time,x,y', ...rows].join('\n'))
    const script = new URL('detectors.R', import.meta.url).pathname
    const lines = execFileSync('Rscript', [script, clone.folder, path], { encoding: 'utf8' }).trim().split('\n')
    const all = lines.map((line) => line.trim().split(' ').map(Number))
    return { saccades: recordings.map((_, r) => all.filter(([trial]) => trial === r).map(([, ...times]) => times)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the share of the samples that the first person labelled as pursuit which are in a fixation, in percent. */
function pursuitInFixations(recordings: Seen[], fixations: number[][][]): number {
  let [inside, all] = [0, 0]
  for (const [r, { tMs, first }] of recordings.entries())
    for (const [i, label] of first.entries()) {
      if (label !== 4) continue
      all++
      if (fixations[r].some(([start, end]) => tMs[i] >= start - 0.0005 && tMs[i] <= end + 0.0005)) inside++
    }
  return (100 * inside) / all
}

const DETECTORS: Record<string, Record<string, string>> = {
  '`velocity`, default': {},
  '`dispersion`, default': { detector: 'dispersion' },
  '`adaptive`, default': { detector: 'adaptive' },
  '`i2mc`, default': { detector: 'i2mc' },
}

test('all detectors take pursuit of dots and in videos for fixations', () => {
  const what = 'Detectors with pursuit'
  const lund = cloneOf(LUND)
  if (lund === null) return noteMissing(what, LUND)
  if (!canRun(PYTHON, '-c', 'import scipy')) return noteMissing(what, 'python3-scipy')
  const recordings = inPython('lund2013.py', [lund.folder]) as Labelled[]
  const rows = [['recordings', 'found by', 'κ with first person', 'κ with second person', 'pursuit in fixations, %']]
  for (const [kind, is] of Object.entries({ img: 'pictures', dots: 'moving dots', video: 'videos' })) {
    const own = recordings.filter((each) => each.kind === kind)
    const seen = own.map((each) => seenAt(each, 500, 0))
    for (const [name, given] of Object.entries({ '`preset=lab-500`': { preset: 'lab-500' }, ...DETECTORS })) {
      const found = seen.map((each) => fixationsOf(each, given))
      const { first, second } = agreement(seen, found)
      const pursued = pursuitInFixations(seen, found)
      rows.push([`${own.length} of ${is}`, name, first.toFixed(2), second.toFixed(2), pursued.toFixed(0)])
      if (kind !== 'img') expect(pursued, `${name}, ${kind}`).toBeGreaterThan(25)
    }
  }
  const rates = `at 500 Hz, three of them at 200 Hz`
  noteTable(
    `[Detectors on every kind of recording](detectors.md#agreement-with-people) of ${lund.version}, ${rates}: no detector knows pursuit, which people label apart from fixations.`,
    rows,
  )
})

test('the preset of a kind of recording agrees with people at least as well as any other program', () => {
  const what = 'Detectors and presets'
  const lund = cloneOf(LUND)
  if (lund === null) return noteMissing(what, LUND)
  if (!canRun(PYTHON, '-c', 'import scipy')) return noteMissing(what, 'python3-scipy')
  const recordings = (inPython('lund2013.py', [lund.folder]) as Labelled[])
    .filter(({ kind }) => kind === 'img')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  expect(recordings).toHaveLength(14)
  // Settings were chosen with the others.
  const half = recordings.filter((_, i) => i % 2 === 1)
  const clones = OTHERS.flatMap((repository) => cloneOf(repository) ?? [])
  for (const missing of OTHERS.filter((each) => !clones.some(({ repository }) => repository === each)))
    noteMissing(`${what}, compared with another program`, missing)
  const rows: string[][] = [['recordings', 'found by', 'κ with first person', 'κ with second person']]
  for (const { preset, rateHz, noisePx, is } of KINDS) {
    const seen = half.map((each) => seenAt(each, rateHz, noisePx))
    const own: Record<string, Record<string, string>> = {
      [`\`preset=${preset}\``]: { preset },
      ...DETECTORS,
    }
    const told = (name: string, { first, second }: Agreement) =>
      rows.push([is, name, first.toFixed(2), second.toFixed(2)])
    const byPreset = seen.map((each) => fixationsOf(each, { preset }))
    for (const [name, given] of Object.entries(own))
      told(
        name,
        agreement(
          seen,
          seen.map((each) => fixationsOf(each, given)),
        ),
      )
    for (const [name, found] of clones.flatMap((clone) => Object.entries(fixationsBy(clone, seen)))) {
      const taken = seen.flatMap((_, r) => (found[r] === null ? [] : [r]))
      if (taken.length === 0) {
        rows.push([is, name, 'does not run', 'does not run'])
        continue
      }
      const [recorded, theirs, ours] = [seen, found as number[][][], byPreset].map((all) => taken.map((r) => all[r]))
      const other = agreement(recorded as Seen[], theirs as number[][][])
      told(taken.length < seen.length ? `${name}, ${taken.length} of ${seen.length} recordings` : name, other)
      const same = agreement(recorded as Seen[], ours as number[][][])
      expect(same.first, `${preset}, ${name}`).toBeGreaterThanOrEqual(other.first)
      expect(same.second, `${preset}, ${name}`).toBeGreaterThanOrEqual(other.second)
    }
  }
  noteTable(
    `[Detectors and presets](detectors.md#presets) on half of the recordings of pictures of ${lund.version}, other than those with which the presets were chosen; other programs at their defaults: ${clones.map(({ version }) => version).join('; ')}.`,
    rows,
  )
})
