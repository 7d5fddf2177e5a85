import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type GuessedMapping, guessMapping } from '../../engine/recordings/any-table/guess-mapping.ts'
import { findSourceFiles } from '../../engine/recordings/text/source-files.ts'
import { cleanUp, convertAndRead, writeFiles } from '../engine/recordings/converted.ts'
import { randomOf } from '../engine/recordings/made/gaze-maker.ts'
import { shuffled } from '../engine/recordings/made/recording-maker.ts'
import type { Sample } from '../engine/recordings/shapes.ts'
import { cloneOf, inPython, noteGuess, noteMissing } from './public-data.ts'

afterAll(cleanUp)

/** Recordings of a public repository, and how they are read. */
type Recordings = {
  repository: string
  folder: string
  files: RegExp
  separator: string
  /** Function of recordings.py that reads them; null if they hold no gaze on a screen in a known unit. */
  kind: string | null
  screen: { widthPx: number; heightPx: number }
}

const SCREEN = { widthPx: 1920, heightPx: 1080 }

const RECORDINGS: Recordings[] = [
  {
    ...{ repository: 'dcnieho/I2MC_Python', folder: 'example/example_data', files: /\.tsv$/, separator: '\t' },
    ...{ kind: 'i2mc', screen: SCREEN },
  },
  {
    ...{ repository: 'dcnieho/ETDQualitizer', folder: 'example/data', files: /\.tsv$/, separator: '\t' },
    ...{ kind: 'etdq', screen: SCREEN },
  },
  {
    ...{ repository: 'tjmahr/lookr', folder: 'inst/docs/data', files: /\d\.gazedata$/, separator: '\t' },
    ...{ kind: 'eprime', screen: SCREEN },
  },
  {
    ...{ repository: 'EveCharbie/EyeDentify3d', folder: 'examples/data/Pupil_Invisible', files: /gaze\.csv$/ },
    ...{ separator: ',', kind: 'invisible', screen: { widthPx: 1088, heightPx: 1080 } },
  },
  {
    ...{ repository: 'EveCharbie/EyeDentify3d', folder: 'examples/data/HTC_Vive_Pro', files: /\.csv$/, separator: ';' },
    ...{ kind: null, screen: SCREEN },
  },
  {
    ...{ repository: 'EveCharbie/EyeDentify3d', folder: 'examples/data/Pico_Neo_3_Pro', files: /\.csv$/ },
    ...{ separator: '\t', kind: null, screen: SCREEN },
  },
  {
    ...{ repository: 'ATUAV/EMDAT', folder: 'src/sampledata/Tobii4C', files: /test\.csv$/, separator: ';' },
    ...{ kind: null, screen: SCREEN },
  },
  {
    ...{
      repository: 'pymovements/pymovements',
      folder: 'docs/source/examples',
      files: /^gaze.*\.csv$/,
      separator: ',',
    },
    ...{ kind: 'plain', screen: SCREEN },
  },
]

/** Largest differences of times in ms, and of positions in px, that rounding explains. */
const [TIME_MS, PLACE_PX] = [0.002, 0.001]

/** How a table was read: '' for right, '?' for left open, or what is wrong. */
type Reading = { outcome: string; mapping: GuessedMapping; samples: number; lost: number }

async function readGuessed(path: string, known: Sample[][] | null, screen: Recordings['screen']): Promise<Reading> {
  const [file] = await findSourceFiles([path])
  const mapping = await guessMapping(file)
  const open = { outcome: '?', mapping, samples: 0, lost: 0 }
  if (JSON.stringify({ ...mapping, notes: [] }).includes('"?"')) return open
  if (known === null) return { ...open, outcome: 'gaze where none is' }
  const { looks } = await convertAndRead([path], { mapping, screen, isImported: false })
  const all = looks.flatMap(({ samples }) => samples)
  const lost = all.filter(([, x]) => x === null).length
  return { outcome: differenceOf(looks, known), mapping, samples: all.length, lost }
}

/** Returns the first reason of a guess; of one that is left open, why it is. */
function reasonOf({ outcome, mapping: { notes } }: Reading): string {
  const open = notes.find((note) =>
    /two numbers in one cell|name them if they are gaze|places or directions/.test(note),
  )
  return (outcome === '?' && open) || notes[0]
}

function differenceOf(looks: { samples: Sample[] }[], known: Sample[][]): string {
  if (looks.length !== known.length) return `${looks.length} tests rather than ${known.length}`
  for (const [i, { samples }] of looks.entries()) {
    if (samples.length !== known[i].length) return `test ${i + 1}: ${samples.length} samples, not ${known[i].length}`
    const at = samples.findIndex((sample, k) => !isNear(sample, known[i][k]))
    if (at >= 0) return `test ${i + 1}: ${samples[at]} rather than ${known[i][at]}`
  }
  return ''
}

function isNear([t, x, y]: Sample, [tMs, xPx, yPx]: Sample): boolean {
  if (Math.abs(t - tMs) > TIME_MS || (x === null) !== (xPx === null)) return false
  return x === null || (Math.abs(x - xPx!) <= PLACE_PX && Math.abs(y! - yPx!) <= PLACE_PX)
}

/** Writes a table with its columns in random order, called c1 to cn. */
function nameless(path: string, separator: string, seed: number): { path: string; names: string[] } {
  const [header, ...rows] = readFileSync(path, 'utf8').trimEnd().split(/\r?\n/)
  const names = header.split(separator)
  const order = shuffled([...names.keys()], randomOf(seed))
  const cells = rows.map((row) => row.split(separator))
  const lines = [order.map((_, i) => `c${i + 1}`), ...cells.map((row) => order.map((at) => row[at] ?? ''))]
  const text = `${lines.map((line) => line.join(separator)).join('\n')}\n`
  return {
    path: writeFiles({ [`kim${separator === '\t' ? '.tsv' : '.csv'}`]: text }),
    names: order.map((at) => names[at]),
  }
}

test('public tables are read right or left open by their names and values, and by their values alone', async () => {
  const wrong: string[] = []
  for (const { repository, folder, files, separator, kind, screen } of RECORDINGS) {
    const clone = cloneOf(repository)
    if (clone === null) {
      noteMissing('Guesses', repository)
      continue
    }
    const from = join(clone.folder, folder)
    const names = readdirSync(from, { recursive: true })
      .map(String)
      .filter((name) => files.test(name))
    for (const [i, name] of names.sort().entries()) {
      const path = join(from, name)
      const known = kind === null ? null : (inPython('recordings.py', [kind, path]) as Sample[][])
      const named = await readGuessed(path, known, screen)
      const mixed = nameless(path, separator, i + 1)
      const bare = await readGuessed(mixed.path, known, screen)
      if (![named, bare].every(({ outcome }) => ['', '?'].includes(outcome)))
        wrong.push(`${name}: ${named.outcome} | ${bare.outcome}`)
      noteGuess({
        ...{ what: `${clone.version} ${name}`, samples: named.samples, lost: named.lost },
        ...{ named: named.outcome, bare: bare.outcome, reason: reasonOf(named) },
        overruled: named.mapping.notes.find((note) => note.endsWith('not taken for gaze')) ?? '',
      })
    }
  }
  expect(wrong).toEqual([])
}, 1_200_000)
