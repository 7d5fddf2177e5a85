import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * Rules of BIDS 1.11 for a dataset like ours, from the schema that its validator reads: rules/files/raw/task,
 * rules/files/common, rules/sidecars/continuous, rules/tabular_data/{physio,events,modality_agnostic},
 * rules/checks/{eyetrack,events,dataset}, and objects/{entities,metadata}. Transcribed by hand, and nothing of it from
 * our own code.
 */

type Json = Record<string, unknown>

const TOP = ['dataset_description.json', 'participants.tsv', 'participants.json', 'README.md', 'CHANGES', 'scans.json']
const FILE =
  /^sub-([0-9A-Za-z]+)\/beh\/sub-([0-9A-Za-z]+)_task-[0-9A-Za-z]+(_run-\d+)?(_events\.(tsv|json)|(_recording-[0-9A-Za-z]+)?_(physio|physioevents)\.(tsv\.gz|json))$/
const SCANS = /^(sub-[0-9A-Za-z]+)\/\1_scans\.tsv$/
/** A dataset of its own, of type derivative; what lies at its top is inherited. */
const DERIVED =
  /^derivatives\/gazette\/(README\.md|dataset_description\.json|desc-quality_beh\.json|(sub-[0-9A-Za-z]+)\/beh\/\2_task-[0-9A-Za-z]+(_run-\d+)?_desc-quality_beh\.tsv)$/
const SYSTEMS = ['gaze-on-screen', 'eye-in-head', 'gaze-in-world']
const EYES = ['left', 'right', 'cyclopean']

/** Every rule that a dataset breaks, in a sentence each. */
export async function brokenRules(root: string): Promise<string[]> {
  const broken: string[] = []
  const need = (isMet: boolean, sentence: string) => {
    if (!isMet) broken.push(sentence)
  }
  const names = (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  const all = new Set(names)
  const text = async (name: string) => (await readFile(join(root, name))).toString('utf8')
  const json = async (name: string): Promise<Json> => (all.has(name) ? JSON.parse(await text(name)) : {})
  /** Columns that BIDS does not know must be described; to describe those that it requires redefines them. */
  const checkDescribed = (name: string, columns: string[], sidecar: Json) => {
    for (const column of columns) {
      const isKnown = column === 'onset' || column === 'duration'
      need(isObject(sidecar[column]) !== isKnown, `${name}: ${column} is ${isKnown ? 'redefined' : 'not described'}`)
    }
  }
  const table = (content: string) => {
    need(content === '' || content.endsWith('\n'), 'a table does not end with a line end')
    return content
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t'))
  }

  for (const name of names.filter((one) => SCANS.test(one))) {
    const [columns, ...rows] = table(await text(name))
    need(columns[0] === 'filename', `${name}: the first column is not filename`)
    for (const column of columns.slice(1))
      need(column in (await json('scans.json')), `${name}: ${column} is not described`)
    for (const [file] of rows)
      need(all.has(`${name.split('/')[0]}/${file}`), `${name} names ${file}, which is not there`)
  }
  need(new Set(names.map((name) => name.toLowerCase())).size === names.length, 'names differ in case alone')
  for (const name of names) {
    const match = FILE.exec(name)
    const isKnown =
      TOP.includes(name) || name.startsWith('stimuli/') || match !== null || DERIVED.test(name) || SCANS.test(name)
    need(isKnown, `${name} has no BIDS name`)
    if (match) need(match[1] === match[2], `${name} lies in another subject's folder`)
    if (match && !name.endsWith('.json')) {
      const sidecar = name.replace(/\.tsv(\.gz)?$/, '.json')
      need(all.has(sidecar), `${name} has no sidecar`)
    }
  }
  for (const name of TOP) need(all.has(name), `${name} is not there`)

  const description = await json('dataset_description.json')
  need(typeof description.Name === 'string' && description.Name !== '', 'Name is required')
  need(/^1\.11\.\d+$/.test(String(description.BIDSVersion)), 'BIDSVersion is required')
  need(description.DatasetType === 'raw', 'DatasetType is recommended')
  const derived = await json('derivatives/gazette/dataset_description.json')
  need(
    derived.DatasetType === 'derivative' && isObject((derived.GeneratedBy as Json[])[0]),
    'derivatives are generated',
  )
  for (const by of description.GeneratedBy as Json[]) need(typeof by.Name === 'string', 'GeneratedBy has names')
  need(/^\S+ \d{4}-\d\d-\d\d\n( {2}- .+\n)+$/.test(await text('CHANGES')), 'CHANGES is not a CPAN changelog')
  need((await text('README.md')).length > 150, 'the README is short')

  const [head, ...people] = table(await text('participants.tsv'))
  const columns = await json('participants.json')
  need(head[0] === 'participant_id', 'participant_id is not the first column')
  for (const column of head) need(column in columns, `participants.json does not describe ${column}`)
  const dirs = new Set(names.filter((name) => name.startsWith('sub-')).map((name) => name.split('/')[0]))
  const ids = people.map(([id]) => id)
  need(
    [...dirs].sort().join() === [...ids].sort().join(),
    'participants.tsv has other participants than there are folders',
  )
  for (const row of people) {
    const cell = (name: string) => row[head.indexOf(name)]
    need(row.length === head.length && row.every((value) => value !== ''), `${row[0]}: cells are empty or missing`)
    need(/^(\d{1,2}|89\+|n\/a)$/.test(cell('age')), `${row[0]}: age ${cell('age')}`)
    need(/^(F|M|O|n\/a)$/.test(cell('sex')), `${row[0]}: sex ${cell('sex')}`)
  }

  for (const name of names.filter((each) => each.endsWith('_events.tsv'))) {
    const [header, ...rows] = table(await text(name))
    need(header[0] === 'onset' && header[1] === 'duration', `${name} does not begin with onset and duration`)
    need(new Set(header).size === header.length, `${name} has a column twice`)
    const sidecar = await json(name.replace('.tsv', '.json'))
    checkDescribed(name, header, sidecar)
    const { TaskName, ...described } = sidecar
    need(typeof TaskName === 'string', `${name}: TaskName is recommended`)
    for (const [key, value] of Object.entries(described)) need(isObject(value), `${name}: ${key} is not an object`)
    const onsets = rows.map(([onset]) => Number(onset))
    need(onsets.join() === [...onsets].sort((a, b) => a - b).join(), `${name} is not sorted by onset`)
    for (const row of rows) {
      need(row.length === header.length && row.every((cell) => cell !== ''), `${name}: cells are empty or missing`)
      need(Number.isFinite(Number(row[0])), `${name}: onset ${row[0]}`)
      need(row[1] === 'n/a' || Number(row[1]) >= 0, `${name}: duration ${row[1]}`)
      const stimulus = row[header.indexOf('stim_file')] ?? 'n/a'
      need(stimulus === 'n/a' || all.has(`stimuli/${stimulus}`), `${name}: there is no stimuli/${stimulus}`)
    }
  }

  for (const name of names.filter((each) => each.endsWith('.tsv.gz'))) {
    const sidecar = await json(name.replace('.tsv.gz', '.json'))
    const listed = sidecar.Columns as string[]
    const gzip = await readFile(join(root, name))
    // rules/checks/privacy: no name, no comment, no time.
    need(gzip[3] === 0 && gzip.readUInt32LE(4) === 0, `${name} has a gzip header that tells more than it must`)
    const rows = table(gunzipSync(gzip).toString('utf8'))
    need(typeof sidecar.TaskName === 'string', `${name}: TaskName is recommended`)
    need(
      Array.isArray(listed) && new Set(listed).size === listed.length,
      `${name}: Columns is required, of distinct names`,
    )
    checkDescribed(name, listed, sidecar)
    need(rows.length > 0, `${name} is empty`)
    need(!rows[0].some((cell) => listed.includes(cell)), `${name} has a header`)
    for (const row of rows) {
      if (
        row.length !== listed.length ||
        row.some(
          (cell, c) =>
            !/^(-?\d+(\.\d+)?(e[+-]\d+)?|n\/a|fixation|saccade)$/.test(cell) &&
            !(['message', 'value'].includes(listed[c]) && cell !== ''),
        )
      )
        broken.push(`${name}: ${row.join(' ')}`)
    }
    if (name.endsWith('_physio.tsv.gz')) {
      need(sidecar.PhysioType === 'eyetrack', `${name}: PhysioType`)
      need(Number(sidecar.SamplingFrequency) > 0, `${name}: SamplingFrequency is required`)
      need(typeof sidecar.StartTime === 'number', `${name}: StartTime is required`)
      need(EYES.includes(String(sidecar.RecordedEye)), `${name}: RecordedEye is required`)
      need(SYSTEMS.includes(String(sidecar.SampleCoordinateSystem)), `${name}: SampleCoordinateSystem is required`)
      need(listed.slice(0, 3).join() === 'timestamp,x_coordinate,y_coordinate', `${name} begins with other columns`)
      for (const column of listed) need('Units' in (sidecar[column] as Json), `${name}: ${column} has no unit`)
      const times = rows.map(([time]) => Number(time))
      need(
        times.every((time, i) => i === 0 || time >= times[i - 1]),
        `${name} is not in order of time`,
      )
      const events = await json(name.replace(/(_recording-[^_]+)?_physio\.tsv\.gz$/, '_events.json'))
      const shown = (events.StimulusPresentation ?? {}) as Json
      if (sidecar.SampleCoordinateSystem === 'gaze-on-screen') {
        need(Number(shown.ScreenDistance) > 0, `${name}: its events have no ScreenDistance`)
        need(String(shown.ScreenOrigin) === 'top,left', `${name}: its events have no ScreenOrigin`)
        for (const key of ['ScreenResolution', 'ScreenSize']) {
          const pair = shown[key]
          need(Array.isArray(pair) && pair.length === 2 && pair.every((value) => value > 0), `${name}: no ${key}`)
        }
        need((shown.ScreenResolution as number[]).every(Number.isInteger), `${name}: ScreenResolution in whole pixels`)
      }
    } else {
      need(listed[0] === 'onset', `${name} does not begin with onset`)
      const physio = await json(name.replace('_physioevents.tsv.gz', '_physio.json'))
      need((physio.Columns as string[]).includes(String(sidecar.OnsetSource)), `${name}: OnsetSource is no column`)
      const onsets = rows.map(([onset]) => Number(onset))
      need(
        onsets.every((onset, i) => i === 0 || onset >= onsets[i - 1]),
        `${name} is not sorted by onset`,
      )
      need(
        rows.every(([, duration]) => Number(duration) >= 0),
        `${name}: a duration is negative`,
      )
    }
  }
  return broken
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
