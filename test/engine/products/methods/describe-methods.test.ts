import { expect, test } from 'vitest'
import type { LineMethod } from '../../../../engine/model/parameters.ts'
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
    precisionPercents: { n: 14, median: 1.5, min: 1, max: 4 },
    accuracy: { unit: 'deg', validations: 40, n: 8, median: 0.9, min: 0.5, max: 2.25 },
    fixations: { n: 15, median: 12, min: 0, max: 1234.5 },
    points: { points: 58337, interpolated: 3, cuts: 1 },
    steps: { merged: 4, cut: 2, bridged: 0, filled: 37 },
  },
  samplesMax: null,
  parameters: {
    detector: 'dispersion',
    movingMedianRangeMs: 150,
    dispersionThresholdPercent: 4,
    minFixationDurationMs: 100,
    saccadeMaxDurationMs: 120,
  },
  aois: { count: 3, items: 2, texts: 1, sizePercents: { n: 3, median: 2.5, min: 1, max: 10 } },
}

const UNKNOWN: MethodsFacts = {
  ...KNOWN,
  exclusions: [],
  recording: null,
  measured: {
    ...KNOWN.measured!,
    testsWithGaze: 15,
    precision: { unit: 'percents', n: 14, median: 0.5, min: 0.2, max: 1 },
    precisionPercents: undefined,
    accuracy: null,
  },
  parameters: { movingMedianRangeMs: 200, gazeVelocityThreshold: 150, minFixationDurationMs: 80 },
  aois: { count: 0, items: 0, texts: 0, sizePercents: null },
}

test('all that is known is told, every number with its unit, its median and its range', () => {
  expect(describeMethods(KNOWN).paragraph).toBe(
    [
      'The study has 12 participants, of whom 9 completed it; 11 have at least one test (one participant looking at one item once), which makes 40 tests.',
      'Keeping only the item “menu_*a*.png” left 20 tests of 10 participants.',
      'Excluding tests with a quality grade below 3 (less than 15 samples with gaze per second, 70 % of the time without gaps above 50 ms or 65 % of gaze on the screen, where the study does not bring a grade) left 15 tests of 8 participants.',
      'Keeping only tests for which the condition “participant_age < 30” is true (SQL; neither false nor unknown) left 1 test of 1 participant.',
      'Eye movements were recorded with Acme Eye 9 at a nominal 60 Hz.',
      'Items were shown on a screen of 1920 × 1080 px, 51 × 28.7 cm, at a viewing distance of 60 cm.',
      'Calibration: smooth pursuit, 5 points.',
      'Environment: dim room.',
      'Of the tests kept, 1 has no sample with gaze.',
      'The share of samples without gaze was 4.2 % (median over 15 tests; range 0 to 100).',
      'The sampling rate that was measured (from the median step between samples) was 59.9 Hz (median over 15 tests; range 31 to 60).',
      'Precision (RMS-S2S in windows of 200 ms; Niehorster et al., 2020; Niehorster et al., 2026) was 0.31° (median over 14 tests; range 0.2 to 1), or 1.5 % of the width and height of the displayed item (median over 14 tests; range 1 to 4).',
      'Accuracy, the mean distance of gaze from 40 validation targets, was 0.9° (median over 8 participants; range 0.5 to 2.25).',
      'Gaze was expressed in percent of the displayed item, cut at 1 gap of more than 50 ms, interpolated linearly in gaps of 17 to 50 ms (3 of 58337 points) and denoised by a moving median over 150 ms.',
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
    'slower than 90 % of the displayed item per second for at least 60 ms; longer ones than 500 ms were cut into pieces (2).',
  )
  const adaptive = keysOf({ detector: 'adaptive', adaptiveLambda: 5 })
  expect(adaptive.keys).toEqual(['niehorster2020', 'niehorster2026', 'engbert2003', 'dunn2023'])
  expect(adaptive.paragraph).toContain('λ = 5; Engbert & Kliegl, 2003')
  expect(adaptive.paragraph).not.toContain('moving median')
  expect(adaptive.paragraph).not.toContain('merged')
  expect(adaptive.paragraph).not.toContain('less than 8 ms')
  const i2mc = keysOf({ detector: 'i2mc', i2mcSeed: 3 })
  expect(i2mc.keys).toEqual(['niehorster2020', 'niehorster2026', 'hessels2017', 'dunn2023'])
  expect(i2mc.paragraph).toContain(
    'two-means clustering (I2MC; Hessels et al., 2017): 37 lost positions in gaps of up to 100 ms were interpolated',
  )
  expect(i2mc.paragraph).toContain('(seed 3)')
})

test('thresholds are told in the unit in which they were', () => {
  const told = (parameters: MethodsFacts['parameters']) => describeMethods({ ...KNOWN, parameters }).paragraph
  expect(told({ gazeVelocityThresholdDegPerS: 30 })).toContain('slower than 30° of the visual field per second for')
  expect(told({ detector: 'dispersion', dispersionThresholdDeg: 1.5, mergeGapMs: 75, mergeDistanceDeg: 0.5 })).toMatch(
    /within 1\.5° of the visual field, width plus height.* positions were less than 0\.5° apart were merged/,
  )
})

test('the recorded distance of the eyes is told where thresholds in degrees take it, and not asked for', () => {
  const eyes: MethodsFacts['eyes'] = ['leftEyeDistanceMm']
  const recording = { screenWidthPx: 1920, screenHeightPx: 1080, screenWidthCm: 50, screenHeightCm: 28 }
  const told = (facts: Partial<MethodsFacts>) => describeMethods({ ...KNOWN, recording, ...facts })
  const sentence = 'Degrees are those at the recorded distance of the eyes.'
  expect(told({ eyes, parameters: { gazeVelocityThresholdDegPerS: 30 } }).paragraph).toContain(sentence)
  expect(told({ eyes, parameters: {} }).paragraph).not.toContain(sentence)
  expect(told({ eyes: [], parameters: { gazeVelocityThresholdDegPerS: 30 } }).paragraph).not.toContain(sentence)
  const asked = (facts: Partial<MethodsFacts>) => told(facts).toAdd.join()
  expect(asked({ eyes: [] })).toContain('size of the screen in px and cm, and the viewing distance;')
  expect(asked({ eyes })).not.toContain('size of the screen in px and cm, and the viewing distance;')
})

test('merging is told where it is on, with what comes after it', () => {
  const told = (parameters: MethodsFacts['parameters']) =>
    /Fixations with less.*? merged[^.]*\./.exec(describeMethods({ ...KNOWN, parameters }).paragraph)?.[0]
  const merging = { mergeGapMs: 75, mergeDistancePercent: 2 }
  const rule =
    'Fixations with less than 75 ms between them whose positions were less than 2 % of the item’s width apart were merged'
  expect(told(merging)).toBe(`${rule} before short ones were dropped and long ones cut (4 times).`)
  expect(told({ detector: 'dispersion', ...merging })).toBe(`${rule} (4 times).`)
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
  const epochs = { eventType: 'go', fromMs: -50, toMs: 100 }
  expect(describeMethods({ ...KNOWN, parameters: { ...KNOWN.parameters, ...epochs } }).paragraph).toContain(
    'Time was cut into epochs, from -50 ms after each event named “go” to less than 100 ms after it, which may overlap',
  )
})

test('microsaccades are told with their settings and sources, where a package has them', () => {
  const own = { microsaccadeLambda: 5, microsaccadeMinSamples: 4 }
  const told = { ...KNOWN, parameters: { ...KNOWN.parameters, ...own } }
  const rateOf = (max: number) => ({ ...KNOWN.measured!, rateHz: { n: 15, median: max, min: 60, max } })
  const at = (max: number) => ({ ...told, measured: rateOf(max) })
  const { paragraph, sources } = describeMethods(at(200))
  expect(paragraph).toContain(
    'an elliptic threshold of 5 times its median-based standard deviation and a minimum duration of 4 samples, and had to overlap in both eyes (Engbert & Kliegl, 2003; Engbert & Mergenthaler, 2006).',
  )
  expect(sources.map(({ key }) => key)).toEqual(expect.arrayContaining(['engbert2006']))
  expect(describeMethods(KNOWN).paragraph).not.toContain('icrosaccades')
  // Nothing is measured where there are too many samples; below 200 Hz there are no rows.
  expect(describeMethods({ ...told, measured: null }).paragraph).toContain('icrosaccades')
  expect(describeMethods(at(199)).paragraph).not.toContain('icrosaccades')
})

test('an algorithm that moves fixations to lines is told with its sources', () => {
  const told = (lines: LineMethod) =>
    describeMethods({ ...KNOWN, parameters: { ...KNOWN.parameters, lines } }).paragraph
  expect(told('slice')).toContain(
    'fixations on texts were assigned to lines by the algorithm slice (Glandorf & Schroeder, 2021; Carr et al., 2022).',
  )
  expect(told('vote')).toContain(
    'by the majority of the algorithms warp, slice, chain, cluster and segment (Carr et al.',
  )
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
      'Blinks are losses of a pupil of at least 20 ms and two samples that last at most 500 ms with the movement of the eyelid (Hershman et al., 2018). ' +
      `The gazes of both eyes were 6 % of the width and height of the displayed item ${told} apart, as the median of a test.`,
  )
})

test('nothing is told of a step that changed nothing in these data', () => {
  const measured = (given: object) => ({ measured: { ...KNOWN.measured!, ...given } })
  const gazeOf = (facts: object) => /Gaze was [^.]*\./.exec(describeMethods({ ...KNOWN, ...facts }).paragraph)?.[0]
  const none = { points: { points: 900, interpolated: 0, cuts: 0 } }
  const told = 'Gaze was expressed in percent of the displayed item and denoised by a moving median over 150 ms.'
  expect(gazeOf(measured(none))).toBe(told)
  expect(gazeOf({ measured: null })).toBe(told)
  expect(describeMethods({ ...KNOWN, completed: 0 }).paragraph).toContain('The study has 12 participants; 11 have')
  const rateOf = (rateHz: object) =>
    /\) was ([^.]*Hz[^.]*)\./.exec(describeMethods({ ...KNOWN, ...measured({ rateHz }) }).paragraph)?.[1]
  expect(rateOf({ n: 1, median: 500, min: 500, max: 500 })).toBe('500 Hz (1 test)')
  expect(rateOf({ n: 4, median: 500, min: 499.9, max: 500 })).toBe('500 Hz (the same for 4 tests)')
})

test('no step of a detector is told that did nothing in these data', () => {
  const told = (parameters: MethodsFacts['parameters'], steps: object = {}) => {
    const none = { merged: 0, cut: 0, bridged: 0, filled: 0 }
    const measured = { ...KNOWN.measured!, steps: { ...none, ...steps } }
    return describeMethods({ ...KNOWN, measured, parameters }).paragraph
  }
  expect(told({ mergeGapMs: 75 })).not.toContain('merged')
  expect(told({ maxFixationDurationMs: 500 })).toContain('for at least 80 ms; none was longer than 500 ms.')
  expect(told({ detector: 'adaptive' })).not.toContain('less than 8 ms')
  expect(told({ detector: 'adaptive' }, { bridged: 3 })).toContain('between slower gaze did not count (3 times).')
  expect(told({ detector: 'i2mc' })).not.toContain('interpolated')
  const lines = { parameters: { ...KNOWN.parameters, lines: 'slice' as const } }
  const noText = { ...KNOWN, ...lines, aois: { ...KNOWN.aois, texts: 0 } }
  expect(describeMethods(noText).paragraph).not.toContain('Against vertical drift')
})

test('the chosen eye is told as far as eyes were lost', () => {
  const eyes = ['leftGazeXPx', 'leftGazeYPx', 'rightGazeXPx', 'rightGazeYPx'] as const
  const told = (left: number, right: number) => {
    const ofEyes = [
      { column: 'left_data_loss_percents', n: 1, median: left, min: left, max: left },
      { column: 'right_data_loss_percents', n: 1, median: right, min: right, max: right },
    ]
    const measured = { ...KNOWN.measured!, eyes: ofEyes }
    const { paragraph } = describeMethods({ ...KNOWN, eyes: [...eyes], measured, parameters: { eye: 'either' } })
    return /Gaze is (.*?)\./.exec(paragraph)?.[1]
  }
  expect(told(0, 0)).toBe('the mean of both eyes')
  expect(told(3, 0)).toBe('the mean of both eyes or, where one was lost, that of the other')
  expect(told(0, 100)).toBe('that of the left eye')
})

test('I2MC is told by the eyes and the sampling rate of these tests', () => {
  const told = (given: Partial<MethodsFacts>, rate: [min: number, max: number], filled = 0, eye?: 'left') => {
    const [min, max] = rate
    const measured = {
      ...KNOWN.measured!,
      rateHz: { n: 2, median: max, min, max },
      points: { points: 900, interpolated: 2, cuts: 0 },
      steps: { merged: 0, cut: 0, bridged: 0, filled },
    }
    const parameters = { detector: 'i2mc' as const, ...(eye ? { eye } : {}) }
    const { paragraph } = describeMethods({ ...KNOWN, ...given, measured, parameters })
    expect(paragraph).toContain('Gaze was expressed in percent of the displayed item. Fixations')
    return /2017\): (.*?) \(seed 1\)/.exec(paragraph)?.[1]
  }
  const windows = 'windows of 200 ms were clustered every 20 ms, '
  const both = 'for each eye separately, with the mean of the weights of both, '
  const eyes = ['leftGazeXPx', 'leftGazeYPx', 'rightGazeXPx', 'rightGazeYPx'] as const
  expect(told({}, [300, 300])).toBe(`${windows}as they are and thinned out by 2, 5 and 10`)
  expect(told({ eyes: [...eyes] }, [60, 60])).toBe(`${windows}${both}as they are and thinned out by 2 and 5`)
  expect(told({ eyes: [...eyes] }, [30, 60], 0, 'left')).toBe(
    `${windows}as they are and thinned out by 2 and 5, where that left three samples`,
  )
  expect(told({}, [300, 300], 1)).toContain('1 lost position in gaps of up to 100 ms was interpolated (Steffen), ')
})

test('an eye that is lost in all samples of these tests is not named', () => {
  const lost = [{ column: 'right_data_loss_percents', n: 15, median: 100, min: 100, max: 100 }]
  const eyes = ['leftGazeXPx', 'leftGazeYPx', 'rightGazeXPx', 'rightGazeYPx'] as const
  const named = (ofEyes: typeof lost) =>
    /Recorded of the eyes: [^.]*\./.exec(
      describeMethods({ ...KNOWN, eyes: [...eyes], measured: { ...KNOWN.measured!, eyes: ofEyes } }).paragraph,
    )?.[0]
  expect(named([])).toBe('Recorded of the eyes: the gaze of both eyes.')
  expect(named(lost)).toBe('Recorded of the eyes: the gaze of the left eye.')
})

const SIZES = { recorded: 900, interpolated: 40, range: 1, eyelid: 2, speed: 3, padding: 4, island: 5 }
const PUPILS: MethodsFacts = {
  ...KNOWN,
  measured: { ...KNOWN.measured!, pupils: SIZES },
  eyes: ['leftPupil', 'rightPupil'],
  recording: { ...KNOWN.recording, pupilUnit: 'mm' },
  parameters: {
    ...KNOWN.parameters,
    ...{ pupilMinMm: 2, pupilMaxMm: 8, blinkMinMs: 70, blinkMaxMs: 400, pupilSpeedMad: 12, pupilPadMs: 40 },
    ...{ pupilIslandMs: 60, pupilGapMs: 200, pupilSmoothingMs: 30, pupilBaselineFromMs: -200, pupilBaselineToMs: 0 },
  },
}
const pupilsOf = ({ paragraph }: { paragraph: string }) =>
  paragraph.slice(paragraph.indexOf('Of 900 pupil sizes'), paragraph.indexOf(' There are 3 areas'))

test('steps of pupil sizes are told with every setting and source', () => {
  const methods = describeMethods(PUPILS)
  expect(pupilsOf(methods)).toBe(
    [
      'Of 900 pupil sizes, these were removed, in this order and for each eye (steps after Kret & Sjak-Shie, 2019): 1 below 2 mm or above 8 mm; 2 while an eyelid closed or opened around gaps of at least 70 ms (Hershman et al., 2018); 3 that changed faster than the median speed plus 12 median absolute deviations; 4 less than 40 ms from a gap of 75 to 2000 ms; 5 in runs shorter than 60 ms between gaps of at least 75 ms.',
      'In gaps of at most 200 ms, 40 sizes were interpolated linearly.',
      'The pupil is the mean of both eyes or, where one has no size, that of the other, corrected by half the difference between the eyes.',
      'It was smoothed by a moving mean over 30 ms.',
      'The baseline of a test is the median of its sizes at -200 to 0 ms from item onset, which is subtracted (Mathôt & Vilotijević, 2023).',
    ].join(' '),
  )
  expect(methods.sources.map(({ key }) => key)).toEqual(
    expect.arrayContaining(['kret2019', 'hershman2018', 'mathot2023']),
  )
})

test('steps that removed no pupil size are not told, nor any of a study without sizes', () => {
  const none = { recorded: 900, interpolated: 0, range: 0, eyelid: 0, speed: 0, padding: 0, island: 0 }
  const told = (pupils: typeof none, eye?: 'left') => {
    const parameters = { ...PUPILS.parameters, ...(eye ? { eye } : {}), pupilSmoothingMs: 0 }
    return pupilsOf(describeMethods({ ...PUPILS, parameters, measured: { ...KNOWN.measured!, pupils } }))
  }
  expect(told(none, 'left')).toMatch(
    /^Of 900 pupil sizes, none was removed \(steps after Kret & Sjak-Shie, 2019\)\. The pupil is that of the left eye\. The baseline/,
  )
  expect(told({ ...none, interpolated: 1 })).toContain('1 size was interpolated')
  const { paragraph } = describeMethods({
    ...PUPILS,
    measured: { ...KNOWN.measured!, pupils: { ...none, recorded: 0 } },
  })
  expect(paragraph).not.toMatch(/baseline|pupil size/i)
  expect(describeMethods(KNOWN).paragraph).not.toMatch(/pupil/i)
})

test('nothing is said of gaze where no test is left, and of people as many as there are', () => {
  const none = { because: 'filter' as const, value: 'participant_age > 300', tests: 0, participants: 0 }
  const { paragraph, sources } = describeMethods({ ...KNOWN, exclusions: [none] })
  expect(paragraph).toContain('left 0 tests of 0 participants.')
  expect(paragraph).toContain(' No test was left, so that no gaze was analysed. Data were processed with ')
  for (const word of ['Fixations', 'Precision', 'saccade']) expect(paragraph).not.toContain(word)
  expect(sources.map(({ key }) => key)).toEqual(['dunn2023'])
  const told = (participants: number, completed: number) =>
    /The study has (.*?);/.exec(describeMethods({ ...KNOWN, participants, completed }).paragraph)?.[1]
  expect(told(12, 12)).toBe('12 participants, all of whom completed it')
  expect(told(1, 1)).toBe('1 participant, who completed it')
  expect(told(3, 0)).toBe('3 participants')
})
