import { expect, test } from 'vitest'
import { describeMethods } from '../../../../engine/products/methods/describe-methods.ts'
import type { MethodsFacts } from '../../../../engine/products/methods/methods-facts.ts'
import { printMethods } from '../../../../engine/products/methods/print-methods.ts'

const KNOWN: MethodsFacts = {
  studyId: 's',
  studyName: 'Menus',
  snapshotId: 'f00',
  version: '1.2.3',
  participants: 12,
  completed: 9,
  tests: 40,
  participantsWithTests: 11,
  exclusions: [
    { because: 'item', value: 'menu_*a*.png', tests: 20, participants: 10 },
    { because: 'grade', value: '3', tests: 15, participants: 8 },
    { because: 'filter', value: 'participant_age < 30', tests: 1, participants: 1 },
  ],
  recording: {
    manufacturer: 'Acme',
    model: 'Eye\n9',
    calibrationType: 'smooth pursuit',
    calibrationPoints: 5,
    environment: 'dim room',
    nominalSamplingRateHz: 60,
    screenWidthPx: 1920,
    screenHeightPx: 1080,
    screenWidthCm: 51,
    screenHeightCm: 28.7,
    viewingDistanceCm: 60,
  },
  samples: 900,
  measured: {
    tests: 15,
    testsWithGaze: 14,
    rateHz: { n: 15, median: 59.8814, min: 31, max: 60.02 },
    lossPercents: { n: 15, median: 4.2, min: 0, max: 100 },
    precision: { unit: 'deg', n: 14, median: 0.31, min: 0.2, max: 1 },
    accuracy: { unit: 'deg', validations: 40, n: 8, median: 0.9, min: 0.5, max: 2.25 },
    fixations: { n: 15, median: 12, min: 0, max: 1234.5 },
  },
  samplesMax: null,
  parameters: {
    detector: 'dispersion',
    movingMedianRangeMs: 150,
    dispersionThresholdPercent: 4,
    minFixationDurationMs: 100,
    saccadeMaxDurationMs: 120,
  },
  aois: { count: 3, items: 2, sizePercents: { n: 3, median: 2.5, min: 1, max: 10 } },
}

const UNKNOWN: MethodsFacts = {
  ...KNOWN,
  exclusions: [],
  recording: null,
  measured: {
    ...KNOWN.measured!,
    testsWithGaze: 15,
    precision: { unit: 'percents', n: 14, median: 0.5, min: 0.2, max: 1 },
    accuracy: null,
  },
  parameters: { movingMedianRangeMs: 200, gazeVelocityThreshold: 150, minFixationDurationMs: 80 },
  aois: { count: 0, items: 0, sizePercents: null },
}

test('all that is known is told, every number with its unit, its median and its range', () => {
  expect(describeMethods(KNOWN).paragraph).toBe(
    [
      'The study has 12 participants, of whom 9 completed it; 11 have at least one test (one participant looking at one item once), which makes 40 tests.',
      'Keeping only the item “menu_*a*.png” left 20 tests of 10 participants.',
      'Excluding tests with a quality grade below 3 (of 1 to 6; by sampling rate, gaps and gaze on the screen, where the study does not bring a grade) left 15 tests of 8 participants.',
      'Keeping only tests for which the condition “participant_age < 30” is true (SQL; neither false nor unknown) left 1 test of 1 participant.',
      'Eye movements were recorded with Acme Eye 9 at a nominal 60 Hz.',
      'Items were shown on a screen of 1920 × 1080 px, 51 × 28.7 cm, at a viewing distance of 60 cm.',
      'Calibration: smooth pursuit, 5 points.',
      'Environment: dim room.',
      'Of the tests kept, 1 has no sample with gaze.',
      'The sampling rate that was measured (from the median step between samples) was 59.9 Hz (median over 15 tests; range 31 to 60).',
      'The share of samples without gaze was 4.2 % (median over 15 tests; range 0 to 100).',
      'Precision (RMS-S2S in windows of 200 ms; Niehorster et al., 2020; Niehorster et al., 2026) was 0.31° (median over 14 tests; range 0.2 to 1).',
      'Accuracy, the mean distance of gaze from 40 validation targets, was 0.9° (median over 8 participants; range 0.5 to 2.25).',
      'Gaze was expressed in percent of the displayed item, cut where more than 50 ms were missing, and interpolated linearly to about 60 Hz, then denoised by a moving median over 150 ms.',
      'Fixations were found by dispersion (I-DT; Salvucci & Goldberg, 2000): gaze that stayed within 4 % of the displayed item, width plus height, for at least 100 ms.',
      'A pause of at most 120 ms between two fixations is taken for a saccade.',
      'The number of fixations of a test was 12 (median over 15 tests; range 0 to 1235).',
      'There are 3 areas of interest on 2 items, with a median size of 2.5 % of the item (range 1 to 10).',
      'Data were processed with Gazette 1.2.3 (study s, snapshot f00).',
    ].join(' '),
  )
})

test('nothing is claimed that is not known: it is left to the authors', () => {
  const { paragraph, toAdd } = describeMethods(UNKNOWN)
  expect(paragraph).toContain('No test was excluded.')
  expect(paragraph).toContain('was 0.5 % of the width and height of the displayed item (median')
  expect(paragraph).not.toMatch(
    /°|Accuracy|Calibration|screen of|nominal|recorded with|areas? of interest|undefined|null|NaN/,
  )
  const lines = toAdd.join('\n')
  for (const missing of [
    'manufacturer',
    'viewing distance',
    'Accuracy: no validation',
    'Precision in degrees',
    'calibrated',
  ])
    expect(lines).toContain(missing)
  expect(lines).not.toMatch(/Why tests were excluded|areas of interest/)
  expect(describeMethods(KNOWN).toAdd.join('\n')).not.toMatch(/Apparatus|Accuracy|Precision/)
})

test('what the study says of ethics, funding and its data is told, and not asked for again', () => {
  const about = { ethics: ['Board 2, no. 7.'], funding: ['Grant 1'], license: 'CC-BY-4.0', doi: '10.1000/182' }
  const { paragraph, toAdd } = describeMethods({ ...KNOWN, about })
  expect(paragraph).toMatch(
    / Ethics approval: Board 2, no\. 7\. Funding: Grant 1\. The data are available at https:\/\/doi\.org\/10\.1000\/182 under the licence CC-BY-4\.0\.$/,
  )
  expect(toAdd[0]).toBe(
    'Participants: how they were recruited, age, gender, vision, consent, and how their number was decided',
  )
  expect(describeMethods(KNOWN).toAdd[0]).toContain('consent and ethics approval')
})

test('samples that were not measured are not described', () => {
  const { paragraph, toAdd } = describeMethods({ ...KNOWN, measured: null, samplesMax: 800 })
  expect(paragraph).not.toMatch(/Precision|Accuracy|measured|share of samples|number of fixations/)
  expect(toAdd.join('\n')).toContain('these 900 samples are more than the 800 that are measured for an answer')
})

test('each detector is told with its own settings and its own source, and the retracted guideline is never cited', () => {
  const keysOf = (parameters: MethodsFacts['parameters']) => {
    const methods = describeMethods({ ...KNOWN, parameters })
    expect(printMethods(methods, 'json')).not.toMatch(/s13428-021-01762-8/)
    return { keys: methods.sources.map(({ key }) => key), paragraph: methods.paragraph }
  }
  const velocity = keysOf({ gazeVelocityThreshold: 90, minFixationDurationMs: 60, maxFixationDurationMs: 500 })
  expect(velocity.keys).toEqual(['niehorster2020', 'niehorster2026', 'salvucci2000', 'dunn2023'])
  expect(velocity.paragraph).toContain(
    'slower than 90 % of the displayed item per second for at least 60 ms; longer ones than 500 ms',
  )
  const adaptive = keysOf({ detector: 'adaptive', adaptiveLambda: 5 })
  expect(adaptive.keys).toEqual(['niehorster2020', 'niehorster2026', 'engbert2003', 'dunn2023'])
  expect(adaptive.paragraph).toContain('λ = 5; Engbert & Kliegl, 2003')
  expect(adaptive.paragraph).not.toContain('moving median')
  expect(adaptive.paragraph).not.toContain('merged')
  const i2mc = keysOf({ detector: 'i2mc', i2mcSeed: 3 })
  expect(i2mc.keys).toEqual(['niehorster2020', 'niehorster2026', 'hessels2017', 'dunn2023'])
  expect(i2mc.paragraph).toContain('two-means clustering (I2MC; Hessels et al., 2017): losses of up to 100 ms')
  expect(i2mc.paragraph).toContain('(seed 3)')
})

test('merging is told where it is on, with what comes after it', () => {
  const told = (parameters: MethodsFacts['parameters']) =>
    /Fixations with less.*? merged[^.]*\./.exec(describeMethods({ ...KNOWN, parameters }).paragraph)?.[0]
  const merging = { mergeGapMs: 75, mergeDistancePercent: 2 }
  const rule =
    'Fixations with less than 75 ms between them whose positions were less than 2 % of the item’s width apart were merged'
  expect(told(merging)).toBe(`${rule} before short ones were dropped and long ones cut.`)
  expect(told({ detector: 'dispersion', ...merging })).toBe(`${rule}.`)
  expect(told({ mergeGapMs: 0 })).toBeUndefined()
})

test('the window of time is told, and why it was chosen is left to the authors; without one, nothing is', () => {
  const told = (window: MethodsFacts['parameters']) => {
    const { paragraph, toAdd } = describeMethods({ ...KNOWN, parameters: { ...KNOWN.parameters, ...window } })
    return [/only fixations that began (.*) after item onset/.exec(paragraph)?.[1], /window/.test(toAdd.join())]
  }
  expect(told({ fromMs: 500, toMs: 3000 })).toEqual(['at least 500 ms and less than 3000 ms', true])
  expect(told({ fromMs: 0 })).toEqual(['0 ms or later', true])
  expect(told({ toMs: 2000 })).toEqual(['less than 2000 ms', true])
  expect(told({})).toEqual([undefined, false])
})

test('the formats hold the same; Markdown shows names as they are, BibTeX has an entry for each source', () => {
  const methods = describeMethods(KNOWN)
  const text = printMethods(methods, 'text')
  expect(text.startsWith(`${methods.paragraph}\n\nTo be added`)).toBe(true)
  for (const line of methods.toAdd) expect(text).toContain(`\n- ${line}\n`)
  expect(text).toContain('https://doi.org/10.1145/355017.355028')
  expect(text).toContain('author correction, 2024')
  const markdown = printMethods(methods, 'markdown')
  expect(markdown).toContain('“menu\\_\\*a\\*.png”')
  expect(markdown.replace(/\\(?=[\\`*_[\]<>~#|&])/g, '')).toContain(methods.paragraph)
  expect(JSON.parse(printMethods(methods, 'json'))).toEqual(methods)
  const bibtex = printMethods(methods, 'bibtex')
  expect([...bibtex.matchAll(/^@(article|inproceedings)\{(\w+),$/gm)].map(([, , key]) => key)).toEqual(
    methods.sources.map(({ key }) => key),
  )
  for (const { doi } of methods.sources) expect(bibtex).toContain(`  doi = {${doi}},\n`)
})

test('each recorded eye has its loss, precision, pupil loss and blinks, and both their disparity', () => {
  const of = (column: string, median: number) => ({ column, n: 15, median, min: 0, max: 20 })
  const eyes = [
    of('left_data_loss_percents', 3),
    of('right_data_loss_percents', 4),
    of('left_precision_window_rms_s2s_percents', 5),
    of('left_precision_window_rms_s2s_deg', 0.5),
    of('eye_disparity_median_percents', 6),
    of('right_pupil_loss_percents', 7),
    of('right_blinks_per_minute', 8),
  ]
  const told = '(median over 15 tests; range 0 to 20)'
  expect(describeMethods({ ...KNOWN, measured: { ...KNOWN.measured!, eyes } }).paragraph).toContain(
    `For the left eye, the share of samples without gaze was 3 % ${told}; precision was 0.5° ${told}. ` +
      `For the right eye, the share of samples without gaze was 4 % ${told}; the share of samples without a pupil was 7 % ${told}; there were 8 blinks a minute ${told}. ` +
      `The gazes of both eyes were 6 % of the width and height of the displayed item ${told} apart, as the median of a test.`,
  )
})

const PUPILS: MethodsFacts = {
  ...KNOWN,
  eyes: ['leftPupil', 'rightPupil'],
  recording: { ...KNOWN.recording, pupilUnit: 'mm' },
  parameters: {
    ...KNOWN.parameters,
    ...{ pupilMinMm: 2, pupilMaxMm: 8, blinkMinMs: 70, blinkMaxMs: 400, pupilSpeedMad: 12, pupilPadMs: 40 },
    ...{ pupilIslandMs: 60, pupilGapMs: 200, pupilSmoothingMs: 30, pupilBaselineFromMs: -200, pupilBaselineToMs: 0 },
  },
}
const pupilsOf = ({ paragraph }: { paragraph: string }) =>
  paragraph.slice(paragraph.indexOf('Pupil sizes were'), paragraph.indexOf(' There are 3 areas'))

test('steps of pupil sizes are told with every setting and source', () => {
  const methods = describeMethods(PUPILS)
  expect(pupilsOf(methods)).toBe(
    [
      'Pupil sizes were cleaned for each eye (after Kret & Sjak-Shie, 2019). Removed were, in this order: sizes below 2 mm or above 8 mm; sizes while an eyelid closed or opened around gaps of at least 70 ms (Hershman et al., 2018; gaps that lasted at most 400 ms with the movement of the eyelid count as blinks); sizes that changed faster than the median speed plus 12 median absolute deviations; sizes less than 40 ms from a gap of 75 to 2000 ms; runs shorter than 60 ms between gaps of at least 75 ms.',
      'Gaps of at most 200 ms were interpolated linearly.',
      'The pupil is the mean of both eyes or, where one has no size, that of the other, corrected by half the difference between the eyes.',
      'It was smoothed by a moving mean over 30 ms.',
      'The baseline of a test is the median of its sizes at -200 to 0 ms from item onset, which is subtracted (Mathôt & Vilotijević, 2023).',
    ].join(' '),
  )
  expect(methods.sources.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['kret2019', 'hershman2018', 'mathot2023']),
  )
})

test('short runs are told by the gaps around them, whether or not gaps were padded', () => {
  const text = pupilsOf(describeMethods({ ...PUPILS, parameters: { ...PUPILS.parameters, pupilPadMs: 0 } }))
  expect(text).toContain('median absolute deviations; runs shorter than 60 ms between gaps of at least 75 ms.')
})

test('steps of pupil sizes that were skipped are not told', () => {
  const parameters = {
    ...PUPILS.parameters,
    ...{ pupilSpeedMad: 0, pupilPadMs: 0, pupilIslandMs: 0, pupilGapMs: 0, pupilSmoothingMs: 0 },
    eye: 'left' as const,
  }
  const text = pupilsOf(describeMethods({ ...PUPILS, recording: { pupilUnit: 'area_au' }, parameters }))
  expect(text).not.toMatch(/ mm |median absolute|75 to 2000|runs|interpolated|smoothed/)
  expect(text).toMatch(/The pupil is that of the left eye\./)
  expect(describeMethods(KNOWN).paragraph).not.toMatch(/pupil/i)
})
