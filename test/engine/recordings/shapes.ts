import { gzipSync } from 'node:zlib'

/**
 * One small study, written in the shape of each format from its public description. Two people look at two pictures;
 * times are ms from onset, positions px of a window of 1600 × 1200, every seventh gaze is lost (null).
 */
export type Sample = [tMs: number, xPx: number | null, yPx: number | null]
export type Look = { participant: string; item: string; samples: Sample[] }
export const WINDOW = { widthPx: 1600, heightPx: 1200 }

export const LOOKS: Look[] = ['Ada', 'Bo'].flatMap((participant, p) =>
  ['cat.png', 'dog.png'].map((item, k) => ({
    participant,
    item,
    samples: Array.from(
      { length: 40 },
      (_, i): Sample =>
        i % 7 === 3 ? [i * 10, null, null] : [i * 10, 100.5 + 200 * p + 7 * i, 50.25 + 300 * k + 3 * i],
    ),
  })),
)

/** A shape in which the study can be written: tables of cells, or whole texts, by the name of the file. */
export type Shape = {
  format: string
  files: Record<string, string[][] | string | Buffer>
  separator?: string
  /** Replaces names that a format cannot express. */
  participantName?: (name: string) => string
  itemName?: (name: string) => string
  options?: { screen?: { widthPx: number; heightPx: number }; mapping?: unknown }
}

const text = (value: number | null) => (value === null ? '' : String(value))
const people = ['Ada', 'Bo']
const onsetMs = (k: number) => 1000 + 5000 * k
const looksOf = (participant: string) => LOOKS.filter((look) => look.participant === participant)

const reference = (person: 'tester' | 'participant'): string[][] => [
  [
    ...['id', 'age', 'gender', 'quality_grade'].map((name) => `${person}_${name}`),
    ...['item_id', 'test_id', 'test_created_at', 'test_duration_ms', 'test_browser_width_px', 'test_browser_height_px'],
    ...['test_raw_data', 'notes'],
  ],
  ...LOOKS.map(({ participant, item, samples }, i) => [
    ...[
      participant,
      '31',
      '0',
      '5',
      item,
      `0000000${i}-1111-4111-8111-111111111111`,
      '2021-05-01T10:00:00+02:00',
      '400',
    ],
    ...[
      '1600',
      '1200',
      JSON.stringify(samples.map(([t, x, y], j) => [x, y, t, 0, j, j, ...(j === 5 ? [true] : [])])),
      '',
    ],
  ]),
]

const tobii: string[][] = [
  [
    ...['Recording timestamp [μs]', 'Sensor', 'Participant name', 'Recording name', 'Event', 'Event value'],
    ...[
      'Gaze point X [DACS px]',
      'Gaze point Y [DACS px]',
      'Gaze point X [MCS norm]',
      'Validity left',
      'Validity right',
    ],
    ...['Presented Stimulus name', 'Recording resolution width [px]', 'Recording resolution height [px]'],
    ...['Eye movement type', 'Pupil diameter left [mm]'],
  ],
  ...people.flatMap((participant, p) => {
    const row = (us: number, sensor: string, event: string, value: string, rest: string[]) => [
      ...[String(us), sensor, participant, `Recording${p + 1}`, event, value],
      ...rest,
    ]
    return looksOf(participant).flatMap(({ item, samples }, k) => [
      row(onsetMs(k) * 1000 - 9000, 'Eye Tracker', '', '', [
        '5',
        '5',
        '',
        'Valid',
        'Valid',
        '',
        '1600',
        '1200',
        'Fixation',
        '3.1',
      ]),
      row(onsetMs(k) * 1000, '', 'ImageStimulusStart', item, ['', '', '', '', '', '', '1600', '1200', '', '']),
      ...samples.map(([t, x, y]) => {
        const validity = x === null ? 'Invalid' : 'Valid'
        const cells = [text(x), text(y), '0.5', validity, validity, item, '1600', '1200', 'Fixation', '3.1']
        return row((onsetMs(k) + t) * 1000, 'Eye Tracker', '', '', cells)
      }),
      row((onsetMs(k) + 400) * 1000, '', 'ImageStimulusEnd', item, ['', '', '', '', '', '', '1600', '1200', '', '']),
    ])
  }),
]

const START_NS = 1_700_000_000_123_456_789n
const ns = (ms: number) => String(START_NS + BigInt(Math.round(ms * 1e6)))
const pupilFiles = Object.fromEntries(
  people.flatMap((participant, p) => {
    const id = `aaaaaaa${p}-0000-4000-8000-000000000000`
    const gaze = looksOf(participant).flatMap(({ samples }, k) =>
      samples.map(([t, x, y]) => [
        ...['sec', id, ns(onsetMs(k) + t), text(x ?? 1), text(y ?? 1), '1', '', x === null ? '4' : '', '0.1', '0.2'],
      ]),
    )
    const events = looksOf(participant).flatMap(({ item }, k) => [
      [id, ns(onsetMs(k)), `${item}.begin`, 'recording'],
      [id, ns(onsetMs(k) + 400), `${item}.end`, 'recording'],
    ])
    const info = `{"recording_id": "${id}", "wearer_id": "w${p}", "wearer_name": "${participant}", "start_time": ${START_NS}, "module_serial_number": "1"}`
    const header =
      'section id,recording id,timestamp [ns],gaze x [px],gaze y [px],worn,fixation id,blink id,azimuth [deg],elevation [deg]'
    return [
      [`${participant}/gaze.csv`, [header.split(','), ...gaze]],
      [`${participant}/events.csv`, [['recording id', 'timestamp [ns]', 'name', 'type'], ...events]],
      [`${participant}/info.json`, info],
    ] as [string, string[][] | string][]
  }),
)

const eyelinkFiles = Object.fromEntries(
  people.map((participant) => [
    `${participant.toLowerCase()}.asc`,
    [
      `** CONVERTED FROM D:\\data\\${participant}.edf using edfapi 4.2.1`,
      '** DATE: Mon May  3 10:00:00 2021',
      '',
      'MSG\t900 DISPLAY_COORDS 0 0 1599 1199',
      ...looksOf(participant).flatMap(({ item, samples }, k) => [
        `MSG\t${onsetMs(k) - 20} TRIALID ${k + 1}`,
        `START\t${onsetMs(k) - 10} \tLEFT\tRIGHT\tSAMPLES\tEVENTS`,
        'PRESCALER\t1',
        'SAMPLES\tGAZE\tLEFT\tRIGHT\tRATE\t 100.00\tTRACKING\tCR\tFILTER\t2',
        `MSG\t${onsetMs(k) - 5} !V IMGLOAD FILL ../images/${item}`,
        // Five ms after the picture appeared, as the message says.
        `MSG\t${onsetMs(k) + 5} 5 SYNCTIME`,
        ...samples.flatMap(([t, x, y], i) => [
          ...(i === 10 ? [`SBLINK R ${onsetMs(k) + t}`] : []),
          x === null
            ? `${onsetMs(k) + t}\t   .\t   .\t    0.0\t   .\t   .\t    0.0\t.....`
            : i >= 10 && i < 13
              ? `${onsetMs(k) + t}\t ${x}\t ${y}\t 1200.0\t 9999.0\t 9999.0\t 1100.0\t.....`
              : `${onsetMs(k) + t}\t ${x - 2}\t ${y}\t 1200.0\t ${x + 2}\t ${y}\t 1100.0\t.....`,
          ...(i === 12 ? [`EBLINK R ${onsetMs(k) + t - 20}\t${onsetMs(k) + t}\t30`] : []),
        ]),
        `MSG\t${onsetMs(k) + 500} TRIAL_RESULT 0`,
        `END\t${onsetMs(k) + 501} \tSAMPLES\tEVENTS\tRES\t  30.00\t  30.00`,
      ]),
    ].join('\n'),
  ]),
)

const gazepointFiles = Object.fromEntries(
  people.map((participant) => [
    `${participant}_all_gaze.csv`,
    [
      'MEDIA_ID,MEDIA_NAME,CNT,TIME(2026/01/01 10:00:00.000),TIMETICK(f=10000000),FPOGX,FPOGY,FPOGV,BPOGX,BPOGY,BPOGV,CX,CY,CS,'.split(
        ',',
      ),
      ...looksOf(participant).flatMap(({ item, samples }, k) =>
        samples.map(([t, x, y], i) => [
          ...[String(k), item, String(i), String((onsetMs(k) + t) / 1000), '0', '0.5', '0.5', '1'],
          ...[
            String((x ?? 0) / 1600),
            String((y ?? 0) / 1200),
            x === null ? '0' : '1',
            '0.25',
            '0.5',
            i === 9 ? '1' : '0',
            '',
          ],
        ]),
      ),
    ],
  ]),
)

const trials = LOOKS.map(({ participant, item, samples }, i) => ({
  subject_id: participant,
  trial_type: 'image-keyboard-response',
  trial_index: i + 1,
  stimulus: item === 'cat.png' ? item : `<p>Look</p><img src="${item}" width=100>`,
  rt: null,
  webgazer_data: samples.map(([t, x, y]) => ({ x, y, t })),
  webgazer_targets: { '#picture': { x: 1, y: 2, width: 3, height: 4, top: 2, bottom: 6, left: 1, right: 4 } },
}))
const check = { trial_type: 'browser-check', trial_index: 0, width: 1600, height: 1200 }

const gorilla: string[][] = [
  'filename,participant_id,spreadsheet_row,time_stamp,time_elapsed,type,screen_index,x_pred,y_pred,x_pred_normalised,y_pred_normalised,convergence,face_conf,zone_name,zone_x,zone_y,zone_width,zone_height'.split(
    ',',
  ),
  ...LOOKS.flatMap(({ participant, item, samples }) => {
    const row = item === 'cat.png' ? '2' : '3'
    const start = ['eye.csv', participant, row, '1600000000000']
    return [
      [...start, '0', 'zone', '1', '', '', '', '', '', '', 'screen', '0', '0', '1600', '1200'],
      ...samples.map(([t, x, y]) => [
        ...[
          ...start,
          String(t),
          'prediction',
          '1',
          text(x),
          y === null ? '' : String(1200 - y),
          '0.5',
          '0.5',
          '1',
          '0.9',
        ],
        ...['', '', '', '', ''],
      ]),
    ]
  }),
]

const labvanced: string[][] = [
  'Block_Name,Block_Nr,exp_subject_id,rec_session_id,session_nr,Task_Name,Task_Nr,times,Trial_Id,Trial_Nr,variable_name,x,y,t,c,'.split(
    ',',
  ),
  ...LOOKS.flatMap(({ participant, item, samples }) =>
    samples.map(([t, x, y]) => {
      const ms = String(1_630_399_792_000 + t)
      const seen = x === null ? ['', '', '', '', ''] : [text(x), text(y), ms, '0.8', '']
      return ['block_1', '1', participant, '299123', '1', item, '5', ms, '7', '1', 'XYTC', ...seen]
    }),
  ),
]

const bidsFiles = Object.fromEntries(
  people.flatMap((participant) => {
    const stem = `bids/sub-${participant}/beh/sub-${participant}_task-look`
    const rows = looksOf(participant).flatMap(({ samples }, k) =>
      samples.map(([t, x, y]) => `${7_000_000 + onsetMs(k) + t}\t${x ?? 'n/a'}\t${y ?? 'n/a'}\t4000`),
    )
    const events = looksOf(participant).map(({ item }, k) => `${(onsetMs(k) - 1000) / 1000}\t0.4\timage\t${item}`)
    const sidecar = {
      PhysioType: 'eyetrack',
      RecordedEye: 'cyclopean',
      SamplingFrequency: 100,
      StartTime: 0,
      Columns: ['timestamp', 'x_coordinate', 'y_coordinate', 'pupil_size'],
      timestamp: { Units: 'ms' },
      x_coordinate: { Units: 'pixel' },
      y_coordinate: { Units: 'pixel' },
    }
    return [
      [`${stem}_recording-eye1_physio.tsv.gz`, gzipSync(`${rows.join('\n')}\n`)],
      [`${stem}_recording-eye1_physio.json`, JSON.stringify(sidecar, null, 2)],
      [`${stem}_events.tsv`, `onset\tduration\ttrial_type\tstim_file\n${events.join('\n')}\n2\t0\tkey\tn/a\n`],
    ] as [string, string | Buffer][]
  }),
)
const screenOfBids = {
  StimulusPresentation: {
    ScreenDistance: 0.6,
    ScreenOrigin: ['top', 'left'],
    ScreenResolution: [1600, 1200],
    ScreenSize: [0.4, 0.3],
  },
}

const generic: string[][] = [
  ['who', 'what', 'seconds', 'left x', 'left y', 'right x', 'right y', 'ok'],
  ...LOOKS.flatMap(({ participant, item, samples }) =>
    samples.map(([t, x, y]) => [
      ...[participant, item, String(t / 1000), String((x ?? 8) - 1), text(y ?? 8), String((x ?? 8) + 1), text(y ?? 8)],
      x === null ? '0' : '1',
    ]),
  ),
]
const eye = (side: string) => ({ x: `${side} x`, y: `${side} y`, unit: 'px', valid: { column: 'ok', values: ['1'] } })
const mapping = {
  gazetteMapping: 1,
  participant: 'who',
  item: 'what',
  trial: null,
  time: { column: 'seconds', unit: 's', origin: 'item' },
  gaze: [eye('left'), eye('right')],
  screen: WINDOW,
}

export const SHAPES: Record<string, Shape> = {
  'reference platform, older generation': { format: 'reference', files: { 'raw.csv': reference('tester') } },
  'reference platform, newer generation': { format: 'reference', files: { 'raw.csv': reference('participant') } },
  'Tobii Pro Lab': { format: 'tobii', files: { 'export.tsv': tobii }, separator: '\t' },
  'Pupil Cloud': { format: 'pupil', files: pupilFiles },
  'EyeLink ASC': { format: 'eyelink', files: eyelinkFiles },
  Gazepoint: { format: 'gazepoint', files: gazepointFiles, options: { screen: WINDOW } },
  'jsPsych JSON': { format: 'jspsych', files: { 'data.json': JSON.stringify([check, ...trials]) } },
  'jsPsych CSV': {
    format: 'jspsych',
    files: {
      'data.csv': [
        Object.keys(trials[0]),
        ...trials.map((trial) =>
          Object.values(trial).map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))),
        ),
      ],
    },
    options: { screen: WINDOW },
  },
  Gorilla: {
    format: 'gorilla',
    files: { 'eye.csv': gorilla },
    itemName: (name) => (name === 'cat.png' ? 'row 2, screen 1' : 'row 3, screen 1'),
  },
  Labvanced: {
    format: 'labvanced',
    files: { 'series.csv': labvanced },
    itemName: (name) => `${name} 7`,
    options: { screen: WINDOW },
  },
  BIDS: {
    format: 'bids',
    files: { ...bidsFiles, 'bids/task-look_events.json': JSON.stringify(screenOfBids) },
    participantName: (name) => `sub-${name}`,
  },
  'any table, by a mapping': { format: 'generic', files: { 'table.csv': generic }, options: { mapping } },
}

/** A table as CSV, cells quoted where they must be. */
export function tableText(rows: string[][], separator = ',', lineEnd = '\n'): string {
  const quoted = (cell: string) =>
    cell.includes('"') || cell.includes('\n') || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell
  return rows.map((cells) => cells.map(quoted).join(separator) + lineEnd).join('')
}
