import { expect, test } from 'vitest'
import { testClusters } from '../../engine/analysis/statistics/clusters.ts'
import { compareScanpaths } from '../../engine/analysis/statistics/compare-scanpaths.ts'
import { detectFixations } from '../../engine/compute/detectors/detect-fixations.ts'
import { createFixations } from '../../engine/compute/fixation-list.ts'
import { createGaze, denoise } from '../../engine/compute/gaze.ts'
import { assignLines } from '../../engine/compute/lines/assign-lines.ts'
import { countLooks, empiricalLogit, logitWeight } from '../../engine/compute/looks.ts'
import { findEyeSaccades, pairSaccades } from '../../engine/compute/microsaccades.ts'
import { cleanEye, createCleanEye } from '../../engine/compute/pupils/clean-eye.ts'
import { fickAngles } from '../../engine/compute/quality/degrees.ts'
import { measureSaccadeDegrees } from '../../engine/compute/quality/gaze-degrees.ts'
import { precisionOf } from '../../engine/compute/quality/precision.ts'
import { clearScratch } from '../../engine/compute/quality/scratch.ts'
import { measureReading, type UnitReading } from '../../engine/compute/reading.ts'
import { measureSaccades } from '../../engine/compute/saccades.ts'
import { defaultParameters, type LineMethod } from '../../engine/model/parameters.ts'
import { seeded } from '../../isomorphic/random.ts'
import { canRun, PYTHON } from '../programs.ts'
import { noteAgreement } from './agreements.ts'
import { type Clone, cloneOf, inPython, inR, noteMissing, noteResult, noteTable } from './public-data.ts'

/**
 * Returns what another program computes from its example data, or those of another repository; null, noted as left out,
 * if one is not there.
 */
function known<T>(
  what: string,
  comparison: string,
  repository: string,
  dataIn?: string,
  imports = 'scipy, pandas',
): { clone: Clone; cases: T[] } | null {
  const missing = [repository, ...(dataIn ? [dataIn] : [])].find((each) => cloneOf(each) === null)
  const [clone, data] = [cloneOf(repository)!, dataIn ? [cloneOf(dataIn)?.folder ?? ''] : []]
  if (missing !== undefined) noteMissing(what, missing)
  else if (canRun(PYTHON, '-c', `import ${imports}`))
    return { clone, cases: inPython('others.py', [comparison, clone.folder, ...data]) as T[] }
  else noteMissing(what, `Python with ${imports}`)
  return null
}

const column = (values: (number | null)[]) => Float64Array.from(values, (value) => value ?? Number.NaN)

test('precision is that of ETDQualitizer', () => {
  const what = 'Precision: RMS-S2S, STD and BCEA in degrees'
  type Case = { x: (number | null)[]; y: (number | null)[]; known: number[] }
  const found = known<Case>(what, 'precision', 'dcnieho/ETDQualitizer')
  if (found === null) return
  const screen = { widthPx: 1920, heightPx: 1080, widthCm: 52.8, heightCm: 29.7, distanceCm: 65 }
  const own = found.cases.flatMap(({ x, y }) => {
    const valid = x.flatMap((value, i) => (value === null || y[i] === null ? [] : [i]))
    // Its origin is the centre of the screen.
    const px = { x: column(valid.map((i) => x[i]! + 960)), y: column(valid.map((i) => y[i]! + 540)) }
    const isPair = Int32Array.from(valid, (i, at) => (at > 0 && valid[at - 1] === i - 1 ? 1 : 0))
    const groups = { start: Int32Array.of(0), end: Int32Array.of(valid.length), n: 1, room: new Float64Array(3) }
    const { rmsS2s, std, bcea68 } = precisionOf({ ...fickAngles(screen, px), isPair }, groups)
    return [rmsS2s, std, bcea68]
  })
  const about = { what, page: 'metrics.md#data-quality', data: `${found.cases.length} eyes of its example recordings` }
  const largest = noteAgreement({
    ...about,
    reference: found.clone.version,
    own,
    known: found.cases.flatMap((each) => each.known),
  })
  expect(largest).toBeLessThan(1e-9)
})

test('microsaccades are those of the Microsaccade Toolbox', () => {
  const what = 'Microsaccades of both eyes: samples and amplitudes'
  type Case = { left: number[][]; right: number[][]; lambda: number; minSamples: number; known: number[][] }
  const found = known<Case>(what, 'microsaccades', 'lschwetlick/EngbertMicrosaccadeToolbox')
  if (found === null) return
  const own = found.cases.map(({ left, right, lambda, minSamples }) => {
    const [l, r] = [left, right].map(([x, y]) => {
      const tUs = Float64Array.from(x, (_, i) => i * 2000)
      return findEyeSaccades({ tUs, x: column(x), y: column(y) }, 2000, { lambda, minSamples })
    })
    return pairSaccades(l, r).map((pair) =>
      [pair.left, pair.right].flatMap(({ first, last, amplitudeX, amplitudeY }) => [
        first,
        last,
        amplitudeX,
        amplitudeY,
      ]),
    )
  })
  expect(own.map((pairs) => pairs.length)).toEqual(found.cases.map((each) => each.known.length))
  const pairs = own.flat().length
  const about = { what, page: 'microsaccades.md', data: `${pairs} saccades in its example recordings, λ 5 and 6` }
  const theirs = found.cases.flatMap((each) => each.known.flat())
  expect(noteAgreement({ ...about, reference: found.clone.version, own: own.flat(2), known: theirs })).toBeLessThan(
    1e-9,
  )
})

test('scanpaths have the similarities of multimatch_gaze', () => {
  const what = 'MultiMatch: five similarities'
  type Case = { a: number[][]; b: number[][]; known: number[] }
  const found = known<Case>(what, 'scanpaths', 'adswa/multimatch_gaze')
  if (found === null) return
  const own = found.cases.flatMap(({ a, b }) => {
    const [one, other] = [a, b].map(([x, y, seconds]) => ({
      n: x.length,
      // Positions in widths of the item.
      x: column(x.map((value) => value / 1280)),
      y: column(y.map((value) => value / 1280)),
      durationMs: column(seconds.map((value) => value * 1000)),
      place: new Int32Array(x.length),
    }))
    const { vector, direction, length, position, duration } = compareScanpaths(one, other, Math.hypot(1280, 720) / 1280)
      .multiMatch!
    return [vector, direction, length, position, duration]
  })
  const about = { what, page: 'scanpaths.md', data: `${found.cases.length} pairs of its example data` }
  const theirs = found.cases.flatMap((each) => each.known)
  expect(noteAgreement({ ...about, reference: found.clone.version, own, known: theirs })).toBeLessThan(1e-9)
})

test('I2MC finds the fixations of the published program, but for its random numbers', () => {
  const what = 'I2MC'
  type Case = { columns: Record<'time' | 'L_X' | 'L_Y' | 'R_X' | 'R_Y', (number | null)[]>; known: number[][] }
  const found = known<Case>(what, 'i2mc', 'dcnieho/I2MC_Python')
  if (found === null) return
  const display = { leftPx: 0, topPx: 0, widthPx: 1920, heightPx: 1080 }
  const settings = { ...defaultParameters(), detector: 'i2mc' as const, mergeGapMs: 30 }
  const [gaze, fixations] = [createGaze(), createFixations()]
  const counted = { own: 0, known: 0, starts: 0, ends: 0 }
  for (const { columns, known: theirs } of found.cases) {
    const { time, ...rest } = columns
    const n = time.length
    const [leftGazeXPx, leftGazeYPx, rightGazeXPx, rightGazeYPx] = [rest.L_X, rest.L_Y, rest.R_X, rest.R_Y].map(column)
    const either = (a: Float64Array, b: Float64Array) =>
      a.map((value, i) => (Number.isNaN(value) ? b[i] : Number.isNaN(b[i]) ? value : (value + b[i]) / 2))
    const samples = {
      n,
      tUs: Float64Array.from(time, (t) => Math.round(t! * 1000)),
      gazeXPx: either(leftGazeXPx, rightGazeXPx),
      gazeYPx: either(leftGazeYPx, rightGazeYPx),
      scrollYPx: new Float64Array(n),
      mouseXPx: new Float64Array(n),
      mouseYPx: new Float64Array(n),
      isClick: new Uint8Array(n),
      eyes: { leftGazeXPx, leftGazeYPx, rightGazeXPx, rightGazeYPx },
    }
    denoise(samples, display, 200, gaze)
    detectFixations(gaze, display, settings, fixations, { samples, screen: null })
    const [starts, ends] = [fixations.startUs, fixations.endUs].map((times) =>
      Array.from(times.subarray(0, fixations.n), (t) => samples.tUs.indexOf(t)),
    )
    counted.own += starts.length
    counted.known += theirs.length
    counted.starts += theirs.filter(([start]) => starts.includes(start)).length
    // Theirs end with the sample after the last.
    counted.ends += theirs.filter(([, end]) => ends.includes(end) || ends.includes(end - 1)).length
  }
  noteResult({
    what,
    page: 'detectors.md#i2mc',
    data: 'the ten recordings of its example (Tobii TX300, 300 Hz)',
    reference: found.clone.version,
    result: `${counted.own} fixations, ${counted.known} there, with other random numbers; ${counted.starts} begin and ${counted.ends} end at the same sample`,
  })
  expect(counted.own).toBe(counted.known)
  expect(counted.starts / counted.known).toBeGreaterThan(0.9)
})

test('blinks are those of the parser of EyeLinks', () => {
  const what = 'Blinks, by their length in ms'
  type Case = { tMs: number[]; size: (number | null)[]; known: number[][]; hershman: number[][] }
  const bounds = [0, 30, 50, 75, 100, 200, Number.POSITIVE_INFINITY]
  const rows = [
    [
      'recordings',
      '< 30',
      '30 to 50',
      '50 to 75',
      '75 to 100',
      '100 to 200',
      '≥ 200',
      'all',
      'of none',
      'by the paper',
    ],
  ]
  for (const repository of ['ihrke/pypillometry', 'a-hurst/eyelinker', 'open-cogsci/eyelinkparser']) {
    const found = known<Case>(what, 'blinks', repository)
    if (found === null) continue
    const counts = bounds.map(() => ({ seen: 0, all: 0 }))
    let [alone, byPaper] = [0, 0]
    for (const { tMs, size, known: theirs, hershman } of found.cases) {
      const eye = createCleanEye(tMs.length)
      cleanEye(column(tMs.map((t) => t * 1000)), column(size), tMs.length, false, defaultParameters(), eye)
      const own = eye.blinks.map(({ before, after }) => [tMs[before], tMs[after]])
      const overlaps =
        ([start, end]: number[]) =>
        (other: number[]) =>
          other[0] <= end && other[1] >= start
      for (const blink of theirs) {
        const count = counts[bounds.findIndex((most, b) => b > 0 && blink[2] < most) - 1]
        count.all++
        if (own.some(overlaps(blink))) count.seen++
      }
      alone += own.filter((blink) => !theirs.some(overlaps(blink))).length
      byPaper += theirs.filter((blink) => hershman.some(overlaps(blink))).length
    }
    const all = {
      seen: counts.reduce((sum, each) => sum + each.seen, 0),
      all: counts.reduce((sum, each) => sum + each.all, 0),
    }
    const told = [...counts.slice(0, -1), all].map((each) => (each.all === 0 ? '' : `${each.seen} of ${each.all}`))
    rows.push([found.clone.version, ...told, `${alone}`, `${byPaper}`])
    expect(all.seen, repository).toBe(all.all)
  }
  if (rows.length > 1)
    noteTable(
      '[Blinks](pupils.md#step-3-eyelids-and-blinks) that overlap one of EyeLink’s own parser, by the length of that in ms; “of none” are Gazette’s that overlap none of the parser’s, “by the paper” the parser’s that the steps of Hershman et al. (2018) find, written anew in Python.',
      rows,
    )
})

test('peak velocities are those of a Savitzky–Golay filter within the saccades that people labelled', () => {
  const what = 'Peak velocity of saccades'
  type Case = { x: (number | null)[]; y: (number | null)[]; known: [start: number, end: number, peak: number][] }
  const found = known<Case>(what, 'peaks', 'richardandersson/EyeMovementDetectorEvaluation')
  if (found === null) return
  const display = { leftPx: 0, topPx: 0, widthPx: 1024, heightPx: 768 }
  const screen = { widthPx: 1024, heightPx: 768, widthCm: 38, heightCm: 30, distanceCm: 67 }
  const ratios: number[] = []
  for (const { x, y, known: theirs } of found.cases) {
    const n = x.length
    const empty = new Float64Array(n)
    const samples = {
      ...{ n, tUs: Float64Array.from(x, (_, i) => i * 2000), gazeXPx: column(x), gazeYPx: column(y) },
      ...{ scrollYPx: empty, mouseXPx: empty, mouseYPx: empty, isClick: new Uint8Array(n) },
    }
    const [gaze, fixations] = [createGaze(), createFixations()]
    denoise(samples, display, 200, gaze)
    detectFixations(gaze, display, { ...defaultParameters(), detector: 'adaptive' }, fixations)
    const { to } = measureSaccades(gaze, fixations, display)
    clearScratch()
    const { peakVelocity } = measureSaccadeDegrees(samples, gaze, fixations, to, display, screen)
    for (const [s, f] of to.entries()) {
      const [from, until] = [fixations.endUs[f - 1] / 2000, fixations.startUs[f] / 2000]
      const peaks = theirs.filter(([start, end]) => start <= until && end > from).map(([, , peak]) => peak)
      if (peaks.length > 0) ratios.push(peakVelocity[s] / Math.max(...peaks))
    }
  }
  ratios.sort((a, b) => a - b)
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => ratios[Math.floor(share * ratios.length)])
  noteResult({
    what,
    page: 'metrics.md#degrees-and-exact-times',
    data: `${ratios.length} saccades of \`adaptive\` in recordings of pictures at 500 Hz`,
    reference: `a Savitzky–Golay filter (order 2, 5 samples) within the labels of the first person of ${found.clone.version}`,
    result: `${middle.toFixed(2)} times in the median (quartiles ${low.toFixed(2)} and ${high.toFixed(2)})`,
  })
  expect(middle).toBeGreaterThan(0.95)
  expect(middle).toBeLessThan(1.05)
})

test('cleaned pupils are those of a second implementation', () => {
  const what = 'Cleaned pupil sizes'
  type Case = { tMs: number[]; size: (number | null)[]; known: (number | null)[] }
  for (const repository of ['ihrke/pypillometry', 'a-hurst/eyelinker', 'open-cogsci/eyelinkparser']) {
    const found = known<Case>(what, 'pupils', repository)
    if (found === null) continue
    const own = found.cases.flatMap(({ tMs, size }) => {
      const eye = createCleanEye(tMs.length)
      cleanEye(column(tMs.map((t) => t * 1000)), column(size), tMs.length, false, defaultParameters(), eye)
      return [...eye.size.subarray(0, tMs.length)]
    })
    const largest = noteAgreement({
      what,
      page: 'pupils.md',
      data: `${found.cases.length} recordings of an eye in ${found.clone.version}`,
      reference: 'steps 1 to 7 of that page, written anew in Python',
      own,
      known: found.cases.flatMap((each) => [...column(each.known)]),
    })
    expect(largest, repository).toBeLessThan(1e-9)
  }
})

/** Measures of words by their names elsewhere, as Gazette computes them; 0 where there was no first pass. */
const MEASURES: Record<string, (word: UnitReading) => number> = {
  TFC: ({ fixations }) => fixations,
  FFD: ({ firstFixationUs }) => firstFixationUs,
  SFD: ({ singleFixationUs }) => singleFixationUs,
  FPRT: ({ firstPassUs }) => firstPassUs,
  RPD_inc: ({ goPastUs }) => goPastUs,
  RBRT: ({ rightBoundedUs }) => rightBoundedUs,
  RRT: ({ totalUs, firstPassUs }) => totalUs - (firstPassUs || 0),
  TFT: ({ totalUs }) => totalUs,
  FPReg: ({ goPastUs, rightBoundedUs }) => (goPastUs > rightBoundedUs ? 1 : 0),
  TRC_in: ({ regressionsIn }) => regressionsIn,
  TRC_out: ({ regressionsOut }) => regressionsOut,
  number_of_fixations: ({ fixations }) => fixations,
  gaze_duration: ({ firstRunUs }) => firstRunUs,
  total_fixation_duration: ({ totalUs }) => totalUs,
}

test('reading measures are those of pymovements, and those of runs of Eyekit', () => {
  const what = 'Reading measures of words'
  type Case = { words: number; fixations: [word: number, durationMs: number][]; known: Record<string, number[]> }
  const drift = 'jwcarr/drift'
  for (const [comparison, repository] of [
    ['reading', 'pymovements/pymovements'],
    ['runs', 'jwcarr/eyekit'],
  ]) {
    const found = known<Case>(what, comparison, repository, drift, 'scipy, pandas, polars')
    if (found === null) continue
    const names = Object.keys(found.cases[0].known)
    const own = found.cases.flatMap(({ words, fixations }) => {
      const wordAt = Int32Array.from(fixations, ([word]) => word)
      const measured = measureReading(words, wordAt, (f) => fixations[f][1])
      return names.flatMap((name) =>
        measured.map((word) =>
          name === 'initial_fixation_duration' ? (fixations[word.firstRunAt]?.[1] ?? 0) : MEASURES[name](word) || 0,
        ),
      )
    })
    const counted = { words: 0, fixations: 0 }
    for (const { words, fixations } of found.cases) {
      counted.words += words
      counted.fixations += fixations.length
    }
    const largest = noteAgreement({
      what: `${what}: ${names.length === 4 ? 'fixations, first and all runs' : `${names.length} measures`}`,
      page: 'reading.md#measures',
      data: `${counted.words} words, ${counted.fixations} fixations of ${found.cases.length} readings of ${cloneOf(drift)!.version}, on lines corrected by hand`,
      reference: found.clone.version,
      own,
      known: found.cases.flatMap((each) => names.flatMap((name) => each.known[name])),
    })
    expect(largest, repository).toBeLessThan(1e-9)
  }
})

type Reading = {
  points: [x: number, y: number, isDiscarded: boolean][]
  lines: number[]
  words: [x: number, y: number, line: number][]
  /** Line of each fixation by algorithm, null where people discarded it. */
  known: Record<string, (number | null)[]>
}

/** Counts the fixations on another line than that of a reference, of those that this has. */
function otherLines(readings: Reading[], method: LineMethod, reference: string = method): { other: number; n: number } {
  const counts = { other: 0, n: 0 }
  for (const { points, lines, words, known: all } of readings) {
    const [x, y] = [0, 1].map((axis) => Float64Array.from(points, (point) => point[axis] as number))
    const places = { x: Float64Array.from(words, (word) => word[0]), y: Float64Array.from(words, (word) => word[1]) }
    const text = {
      lineY: Float64Array.from(lines),
      words: { ...places, line: Int32Array.from(words, (word) => word[2]) },
    }
    for (const [f, line] of assignLines(method, { x, y }, text).entries()) {
      if (all[reference][f] === null) continue
      counts.n++
      if (all[reference][f] !== line) counts.other++
    }
  }
  return counts
}

test('fixations come to the lines that were published, and to those of Eyekit', () => {
  const what = 'Fixations on lines of text'
  const drift = 'jwcarr/drift'
  const published = known<Reading>(what, 'published_lines', drift)
  const eyekit = known<Reading>(what, 'eyekit_lines', 'jwcarr/eyekit', drift)
  const page = 'reading.md#fixations-on-lines'
  const told = (readings: Reading[], methods: LineMethod[], reference?: string) =>
    methods.map((method) => {
      const { other, n } = otherLines(readings, method, reference)
      return reference ? `${method} ${((100 * other) / n).toFixed(1)} %` : `${method} ${other}`
    })
  if (published !== null) {
    const data = `48 readings of ${published.clone.version}, 10,245 fixations`
    const same: LineMethod[] = ['attach', 'chain', 'segment', 'slice']
    const all: LineMethod[] = [...same, 'split', 'warp']
    const result = `on another line: ${told(published.cases, all).join(', ')}`
    noteResult({ what, page, data, reference: 'the lines published with the data', result })
    const gold = told(published.cases, [...all, 'cluster', 'vote'], 'gold')
    noteResult({
      what,
      page,
      data,
      reference: 'lines corrected by hand',
      result: `on another line: ${gold.join(', ')}`,
    })
    for (const method of same) expect(otherLines(published.cases, method).other, method).toBe(0)
  }
  if (eyekit !== null) {
    const methods: LineMethod[] = ['chain', 'cluster', 'slice', 'warp']
    const result = `on another line: ${told(eyekit.cases, methods).join(', ')}`
    noteResult({ what, page, data: '48 readings of the same', reference: eyekit.clone.version, result })
    for (const method of methods) expect(otherLines(eyekit.cases, method).other, method).toBe(0)
  }
})

test('looks over time, and their clusters, are those of eyetrackingR', () => {
  const repository = 'samhforbes/eyetrackingR'
  const [ofLooks, ofClusters] = ['Looks over time: counts, logits and weights', 'Clusters of looks: bins and mass']
  const clone = cloneOf(repository)
  const needs = clone === null ? repository : canRun('Rscript', '-e', USED) ? null : 'R with dplyr and lazyeval'
  if (clone === null || needs !== null) {
    for (const what of [ofLooks, ofClusters]) noteMissing(what, needs ?? repository)
    return
  }
  type Epoch = { tMs: number[]; looks: (number | null)[]; known: (number | null)[][] }
  type Found = { epochs: Epoch[]; binMs: number; fromMs: number; first: number[][]; second: number[][] }
  const found = inR('looks.R', [clone.folder]) as Found & { clusters: number[][] }
  const rows = found.epochs.flatMap(({ tMs, looks: flags }) => {
    const times = {
      n: tMs.length,
      tUs: Float64Array.from(tMs, (ms) => ms * 1000),
      patterns: [Uint8Array.of(0), Uint8Array.of(1)],
      indexes: Int32Array.from(flags, (flag) => flag ?? 0),
      isCounted: Uint8Array.from(flags, (flag) => (flag === null ? 0 : 1)),
    }
    const epoch = { fromUs: 0, toUs: Number.POSITIVE_INFINITY, binUs: found.binMs * 1000 }
    const { bin, counted, looks } = countLooks(times, [0], epoch)
    return [...bin].map((b, i) => [
      ...[b, looks[0][i], counted[i]],
      ...[empiricalLogit(looks[0][i], counted[i]), logitWeight(looks[0][i], counted[i])],
    ])
  })
  const known = found.epochs.flatMap((epoch) => epoch.known)
  expect(rows).toHaveLength(known.length)
  const data = `${known.length} bins of ${found.epochs.length} trials of its example data`
  const looksAbout = { what: ofLooks, page: 'looks.md', data, reference: clone.version }
  expect(noteAgreement({ ...looksAbout, own: rows.flat(), known: [...column(known.flat())] })).toBeLessThan(1e-12)

  const [first, second] = [found.first, found.second].map((all) => all.map((row) => Float64Array.from(row)))
  const test = testClusters({ design: 'within', first, second }, { alpha: 0.05, permutations: 100, seed: 1 })
  const msOf = (bin: number) => found.fromMs + bin * found.binMs
  // It has a cluster of positive t first; its difference is the other way round.
  const sizes = (clusters: number[][]) => clusters.map(([from, to, mass]) => [from, to, Math.abs(mass)])
  const own = sizes(test.clusters.map(({ start, end, mass }) => [msOf(start), msOf(end), mass]))
  const theirs = sizes(found.clusters).sort(([one], [other]) => one - other)
  const clustersAbout = {
    what: ofClusters,
    page: 'looks.md#clusters-of-bins',
    data: `${first.length} participants of its example data, ${first[0].length} bins, within participants`,
    reference: clone.version,
  }
  expect(own).toHaveLength(theirs.length)
  expect(noteAgreement({ ...clustersAbout, own: own.flat(), known: theirs.flat() })).toBeLessThan(1e-9)
})

const USED = 'library(dplyr); library(lazyeval); library(rlang); library(jsonlite)'

test('clusters between groups are those of permuco', () => {
  const what = 'Clusters between participants: bins, mass and p'
  if (!canRun('Rscript', '-e', 'library(permuco); library(jsonlite)')) {
    noteMissing(`${what}, against permuco`, 'R with permuco')
    return
  }
  // It joins neighbouring clusters of opposite sign, which these data have in no arrangement.
  const version = inR('version.R', ['permuco']) as string
  for (const [n, m, alpha] of [
    [5, 5, 0.1],
    [6, 4, 0.05],
  ]) {
    const random = seeded(n * m)
    const rows = (count: number, shift: number) =>
      Array.from({ length: count }, () => {
        let x = 0
        return Array.from({ length: 24 }, (_, b) => {
          x = 0.7 * x + random() - 0.5
          return x + (b >= 8 && b < 12 ? shift : 0)
        })
      })
    const [first, second] = [rows(n, 0.5), rows(m, 0)]
    const theirs = inR('clusters.R', [], { first, second, alpha }) as number[][]
    const of = (all: number[][]) => all.map((row) => Float64Array.from(row))
    const data = { design: 'between' as const, first: of(first), second: of(second) }
    const { clusters } = testClusters(data, { alpha, permutations: 1000, seed: 1 })
    const own = clusters.map(({ start, end, mass, p }) => [start, end, Math.abs(mass), p ?? Number.NaN])
    expect(own.length).toBeGreaterThan(0)
    expect(own).toHaveLength(theirs.length)
    const about = { what, page: 'looks.md#clusters-of-bins', data: `${n} and ${m} participants, 24 bins, α = ${alpha}` }
    const known = theirs.map(([start, end, mass, p]) => [start, end, Math.abs(mass), p])
    expect(
      noteAgreement({ ...about, reference: `clusterlm of permuco ${version}`, own: own.flat(), known: known.flat() }),
    ).toBeLessThan(1e-9)
  }
})
