// Reading recordings of other formats: the whole conversion into a bundle, against reading the same bytes from a warm
// disk.
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { convertFiles } from '../../dist/engine/recordings/convert/convert-recordings.js'
import { parseMapping } from '../../dist/engine/recordings/reader/mapping.js'
import { OUT } from './data.mjs'
import { inTurn, median, row } from './measure.mjs'

const SCREEN = { widthPx: 1920, heightPx: 1080 }
/** A test has so many samples, and a participant's file so many tests. */
const [SAMPLES, TESTS] = [1000, 50]
/** A sheet of Gorilla's has about a minute of samples. */
const SHEET_SAMPLES = 25_000

/** Spreads the numbers of samples over 0 to 1: recordings with the same positions would count as one. */
function spread(i) {
  const bits = Math.imul(i ^ (i >>> 15), 0x85ebca6b)
  return (Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35) >>> 0) / 2 ** 32
}
const x = (i) => (300 + 1300 * spread(2 * i)).toFixed(2)
const y = (i) => (200 + 700 * spread(2 * i + 1)).toFixed(2)
const isLost = (i) => i % 19 === 0

/**
 * The text of a participant's recording by format: rows of one sample, with lines before each test where the format has
 * them.
 */
const FORMATS = {
  reference: {
    name: (p) => `raw-${p}.csv`,
    head: () =>
      'participant_id,item_id,test_id,test_browser_width_px,test_browser_height_px,test_item_display_order,test_raw_data',
    before: (p, k) => `P${p},item-${k},t-${p}-${k},1920,1080,${k + 1},"[`,
    line: (i, t) =>
      `${t % SAMPLES === 0 ? '' : ','}[${isLost(i) ? 'null,null' : `${x(i)},${y(i)}`},${t * 16},0,${x(i + 1)},5]`,
    after: () => ']"',
    isOneLine: true,
  },
  tobii: {
    name: (p) => `export-${p}.tsv`,
    head: () =>
      'Recording timestamp [μs]\tSensor\tParticipant name\tRecording name\tEvent\tEvent value\tGaze point X [DACS px]\tGaze point Y [DACS px]\tValidity left\tValidity right\tPresented Stimulus name\tRecording resolution width [px]\tRecording resolution height [px]\tPupil diameter left [mm]',
    line: (i, t, p, k) =>
      `${(k * SAMPLES + t) * 8333}\tEye Tracker\tP${p}\tRec ${p}\t\t\t${isLost(i) ? '\t\tInvalid\tInvalid' : `${x(i)}\t${y(i)}\tValid\tValid`}\titem-${k}\t1920\t1080\t3.21`,
  },
  pupil: {
    name: (p) => `rec-${p}/gaze.csv`,
    head: () => 'section id,recording id,timestamp [ns],gaze x [px],gaze y [px],worn,fixation id,blink id',
    line: (i, t, p, k) =>
      `s,aaaa-${p},17000000${String((k * SAMPLES + t) * 5_000_000).padStart(12, '0')},${x(i)},${y(i)},1,,${isLost(i) ? 4 : ''}`,
  },
  eyelink: {
    name: (p) => `p${p}.asc`,
    head: (p) => `** CONVERTED FROM p${p}.edf using edfapi\nMSG\t1 DISPLAY_COORDS 0 0 1919 1079`,
    before: (_, k) =>
      `MSG\t${k * 2000 + 5} TRIALID ${k + 1}\nSTART\t${k * 2000 + 6} \tLEFT\tSAMPLES\tEVENTS\nSAMPLES\tGAZE\tLEFT\tRATE\t1000.00\nMSG\t${k * 2000 + 7} !V IMGLOAD FILL item-${k}`,
    line: (i, t, _, k) =>
      `${k * 2000 + 10 + t}\t ${isLost(i) ? '  .\t  .\t    0.0' : `${x(i)}\t ${y(i)}\t 1200.0`}\t...`,
    after: (_, k) => `MSG\t${k * 2000 + 1500} TRIAL_RESULT 0\nEND\t${k * 2000 + 1501} \tSAMPLES\tEVENTS\tRES\t30\t30`,
  },
  gazepoint: {
    name: (p) => `User ${p}_all_gaze.csv`,
    head: () => 'MEDIA_ID,MEDIA_NAME,CNT,TIME(2026/01/01 10:00:00.000),FPOGX,FPOGY,FPOGV,BPOGX,BPOGY,BPOGV,CX,CY,CS,',
    line: (i, t, _, k) =>
      `${k},item-${k},${t},${(t * 0.01667).toFixed(5)},0.5,0.5,1,${spread(2 * i).toFixed(5)},${spread(2 * i + 1).toFixed(5)},${isLost(i) ? 0 : 1},0.25,0.5,0,`,
  },
  jspsych: {
    name: (p) => `data-${p}.json`,
    head: () => '[{"trial_type":"browser-check","trial_index":0,"width":1920,"height":1080}',
    before: (p, k) => `,{"subject_id":"P${p}","trial_index":${k + 1},"stimulus":"item-${k}.png","webgazer_data":[`,
    line: (i, t) => `${t === 0 ? '' : ','}{"x":${x(i)},"y":${y(i)},"t":${t * 33}}`,
    after: (_, k) => (k === TESTS - 1 ? ']}]' : ']}'),
  },
  gorilla: {
    name: (p) => `eye-${p}.csv`,
    head: (p) =>
      `filename,participant_id,spreadsheet_row,time_stamp,time_elapsed,type,screen_index,x_pred,y_pred,x_pred_normalised,y_pred_normalised,convergence,face_conf,zone_name,zone_x,zone_y,zone_width,zone_height\ne,P${p},1,1,0,zone,1,,,,,,,screen,0,0,1920,1080`,
    line: (i, t, p, k) =>
      `eye,P${p},${k + 1},1600000000000,${t * 17},prediction,1,${x(i)},${y(i)},0.5123,0.4321,10,0.91,,,,,`,
  },
  labvanced: {
    name: (p) => `series-${p}.csv`,
    head: () =>
      'Block_Nr,exp_subject_id,rec_session_id,session_nr,Task_Name,times,Trial_Id,Trial_Nr,variable_name,x,y,t,c',
    line: (i, t, p, k) => `1,P${p},29,1,item-${k},${1.63e12 + t},7,1,XYTC,${x(i)},${y(i)},${1.63e12 + t},0.8`,
  },
  bids: {
    name: (p) => `sub-${p}/beh/sub-${p}_task-look_recording-eye1_physio.tsv.gz`,
    line: (i, t, _, k) => `${k * SAMPLES + t}\t${isLost(i) ? 'n/a\tn/a' : `${x(i)}\t${y(i)}`}\t4000`,
    beside: (p) => [
      `sub-${p}/beh/sub-${p}_task-look_recording-eye1_physio.json`,
      JSON.stringify({
        PhysioType: 'eyetrack',
        Columns: ['timestamp', 'x_coordinate', 'y_coordinate', 'pupil_size'],
        ...{ timestamp: { Units: 'ms' }, x_coordinate: { Units: 'pixel' }, y_coordinate: { Units: 'pixel' } },
      }),
    ],
  },
  generic: {
    name: (p) => `gaze-${p}.csv`,
    head: () => 'subject,image,time,x,y,pupil',
    line: (i, t, p, k) => `P${p},item-${k},${t * 2},${isLost(i) ? 'NA,NA' : `${x(i)},${y(i)}`},3.14`,
  },
}
const MAPPING = parseMapping(
  JSON.stringify({
    gazetteMapping: 1,
    ...{ participant: 'subject', item: 'image', trial: null },
    time: { column: 'time', unit: 'ms', origin: 'item' },
    gaze: [{ x: 'x', y: 'y', unit: 'px' }],
    screen: SCREEN,
  }),
  'mapping.json',
)

function textOf({ head, before, line, after, isOneLine }, p, samples) {
  const lines = head ? [head(p)] : []
  for (let k = 0, i = 0; i < samples; k++) {
    const parts = before ? [before(p, k)] : []
    for (let t = 0; t < SAMPLES && i < samples; t++, i++) parts.push(line(i + p * SAMPLES * TESTS, t, p, k))
    if (after) parts.push(after(p, k))
    lines.push(parts.join(isOneLine ? '' : '\n'))
  }
  return `${lines.join('\n')}\n`
}

async function writeText(directory, format, participants) {
  for (let p = 0; p < participants; p++) {
    const text = textOf(format, p, SAMPLES * TESTS)
    const name = format.name(p)
    await mkdir(dirname(join(directory, name)), { recursive: true })
    await writeFile(join(directory, name), name.endsWith('.gz') ? gzipSync(text) : text)
    if (format.beside) await writeFile(join(directory, format.beside(p)[0]), format.beside(p)[1])
  }
}

/** Writes Gorilla's tables as its spreadsheets, texts shared. */
async function writeSheets(directory, files) {
  await mkdir(directory, { recursive: true })
  for (let p = 0; p < files; p++) {
    const rows = textOf(FORMATS.gorilla, p, SHEET_SAMPLES).trimEnd().split('\n')
    await writeFile(join(directory, `eye-${p}.xlsx`), workbookOf(rows.map((text) => text.split(','))))
  }
}

function workbookOf(rows) {
  const index = new Map()
  const cell = (text, c, r) => {
    const at = `${String.fromCharCode(65 + c)}${r + 1}`
    if (text === '') return ''
    if (/^[\d.]+$/.test(text)) return `<c r="${at}"><v>${text}</v></c>`
    if (!index.has(text)) index.set(text, index.size)
    return `<c r="${at}" t="s"><v>${index.get(text)}</v></c>`
  }
  const data = rows.map((cells, r) => `<row r="${r + 1}">${cells.map((text, c) => cell(text, c, r)).join('')}</row>`)
  const type = (name) => `Type="x/${name}"`
  return zipOf({
    'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" ${type('worksheet')} Target="sheet.xml"/><Relationship Id="r2" ${type('sharedStrings')} Target="strings.xml"/></Relationships>`,
    'xl/strings.xml': `<sst>${[...index.keys()].map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/sheet.xml': `<worksheet><sheetData>${data.join('')}</sheetData></worksheet>`,
  })
}

function zipOf(parts) {
  const [locals, central] = [[], []]
  let offset = 0
  for (const [name, text] of Object.entries(parts)) {
    const packed = deflateRawSync(text)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(text), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(Buffer.byteLength(text), 18)
    facts.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    locals.push(Buffer.from('PK\x03\x04', 'latin1'), facts, Buffer.from(name), packed)
    central.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), facts, tail, Buffer.from(name))
    offset += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(central.length / 4, 8)
  end.writeUInt16LE(central.length / 4, 10)
  end.writeUInt32LE(Buffer.concat(central).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, ...central, end])
}

async function readBytes(directory) {
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      for await (const chunk of createReadStream(join(entry.parentPath, entry.name), { highWaterMark: 1 << 20 }))
        chunk.at(0)
}

async function measure(name, directory, samples, goal, runs, options) {
  const bundle = join(OUT, 'converted')
  const before = () => rm(bundle, { recursive: true, force: true })
  const ours = async () => {
    const { counts } = await convertFiles({ paths: [directory], directory: bundle, options, memoryMib: 1024 })
    if (counts.samples !== samples) throw new Error(`${name}: ${counts.samples} samples of ${samples}`)
  }
  const seconds = await inTurn({ ours, theirs: () => readBytes(directory) }, runs, { before })
  await before()
  const detail = `${(samples / median(seconds.ours) / 1e6).toFixed(2)} M samples/s`
  return row(`convert, ${name}`, 'reading its bytes', goal, { ...seconds, detail })
}

export async function benchRecordings({ quick, runs, wanted }) {
  if (!wanted('recordings')) return []
  const rows = []
  const participants = quick ? 4 : 20
  const directory = join(OUT, 'recordings')
  const inTurnOf = async (name, write, samples, goal, options = {}) => {
    await rm(directory, { recursive: true, force: true })
    await write()
    rows.push(await measure(name, directory, samples, goal, Math.min(runs, 3), options))
    await rm(directory, { recursive: true, force: true })
  }
  for (const [name, format] of Object.entries(FORMATS)) {
    const options = { screen: SCREEN, mapping: name === 'generic' ? MAPPING : null }
    const write = () => writeText(directory, format, participants)
    await inTurnOf(name, write, participants * SAMPLES * TESTS, '≥ 1 M samples/s', options)
  }
  const files = quick ? 4 : 20
  await inTurnOf('gorilla, XLSX', () => writeSheets(directory, files), files * SHEET_SAMPLES, '≥ 0.1 M samples/s')
  return rows
}
