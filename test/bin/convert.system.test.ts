import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../bin/command-line.ts'
import { PROGRAM } from '../../bin/terminal/program-name.ts'

// `main` listens to standard output anew each time.
process.stdout.setMaxListeners(0)

let directory: string
let lines: { out: string[]; error: string[] }

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gazette-convert-'))
  lines = { out: [], error: [] }
  vi.spyOn(console, 'log').mockImplementation((text) => void lines.out.push(String(text)))
  vi.spyOn(console, 'error').mockImplementation((text) => void lines.error.push(String(text)))
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
  rmSync(directory, { recursive: true, force: true })
})

const fixture = (name: string) => join(import.meta.dirname, '../engine/recordings/fixtures', name)
const data = () => join(directory, 'data')
/** The exit code of a command; what it prints is in `lines`. */
async function gazette(...args: string[]): Promise<number> {
  process.exitCode = 0
  await main(['node', 'gazette', ...args])
  return Number(process.exitCode ?? 0)
}

describe('gazette convert', () => {
  test('makes a bundle, and says what it took, left and assumed', async () => {
    const bundle = join(directory, 'bundle')
    expect(await gazette('convert', fixture('pupil'), '-o', bundle)).toBe(0)
    expect(readdirSync(bundle).sort()).toEqual([
      'conversion.json',
      'participants.csv',
      'recordings.json',
      'samples.parquet',
      'study.json',
      'tests.csv',
    ])
    expect(lines.out).toEqual([bundle])
    expect(lines.error[0]).toBe('Read as Pupil Cloud or Neon time series: pupil/ride-1/gaze.csv.')
    expect(lines.error[1]).toBe('Took 1 participant, 1 item, 1 test, 3 samples, 67 % of them without gaze.')
    expect(lines.error[2]).toBe('Found Kim.')
    expect(lines.error.filter((line) => line.startsWith('Left: '))).toHaveLength(4)
    expect(lines.error.filter((line) => line.startsWith('Assumed: '))).toHaveLength(3)
  })

  test('leaves nothing behind when it fails, and nothing of anyone else is overwritten', async () => {
    const bundle = join(directory, 'bundle')
    expect(await gazette('convert', fixture('jspsych/two-people.txt'), '--format', 'tobii', '-o', bundle)).toBe(2)
    expect(readdirSync(directory)).toEqual([])
    mkdirSync(bundle)
    writeFileSync(join(bundle, 'thesis.txt'), 'mine')
    expect(await gazette('convert', fixture('gorilla'), '-o', bundle)).toBe(2)
    expect(readdirSync(bundle)).toEqual(['thesis.txt'])
  })

  test('prints a mapping with --guess, and reads with it', async () => {
    const table = join(directory, 'table.csv')
    writeFileSync(table, 'participant,item,t_ms,x,y\nP1,a.png,0,5,6\nP1,a.png,16,7,8\n')
    expect(await gazette('convert', '--guess', table)).toBe(0)
    expect(lines.error).toEqual([
      'Check: the size of the screen is not in the table: fill in screen, or give --screen or --screens.',
    ])
    expect(JSON.parse(lines.out[0]).notes).toHaveLength(1)
    const mapping = join(directory, 'mapping.json')
    writeFileSync(mapping, lines.out[0])
    const bundle = join(directory, 'bundle')
    expect(await gazette('convert', table, '--mapping', mapping, '-o', bundle)).toBe(2)
    expect(await gazette('convert', table, '--mapping', mapping, '--screen', '800x600', '-o', bundle)).toBe(0)
    expect(readFileSync(join(bundle, 'tests.csv'), 'utf8')).toContain(',800,600,')
  })

  test('names each participant with their files, and lists what to check last', async () => {
    const folder = join(directory, 'lab')
    for (const group of ['north', 'south']) {
      mkdirSync(join(folder, group), { recursive: true })
      cpSync(fixture('eyelink/mono.asc'), join(folder, group, 'kim.asc'))
    }
    const bundle = join(directory, 'bundle')
    expect(await gazette('convert', folder, '-o', bundle)).toBe(0)
    expect(lines.error[2]).toBe('Found north/kim (lab/north/kim.asc), south/kim (lab/south/kim.asc).')
    expect(lines.error.filter((line) => line.startsWith('Check: '))).toEqual(lines.error.slice(-4))
    expect(lines.error.at(-4)).toMatch(
      /have the same bytes, and each counts: lab\/south\/kim.asc and lab\/north\/kim.asc/,
    )
    expect(lines.error.at(-3)).toMatch(/files of the same name belong to different participants.*such as north\/kim/)
    expect(lines.error.at(-2)).toMatch(/a running number.*--item-message/)
    expect(lines.error.at(-1)).toMatch(/no SYNCTIME .*--onset-message/)
    const conversion = JSON.parse(readFileSync(join(bundle, 'conversion.json'), 'utf8'))
    expect(conversion.participants[0]).toEqual({ name: 'north/kim', files: ['lab/north/kim.asc'] })
    expect(conversion.check).toHaveLength(4)
  })

  test('takes patterns of messages and a table of screens from the command line', async () => {
    const asc = join(directory, 'kim.asc')
    const lines = [
      'START\t5 \tLEFT\tSAMPLES\tEVENTS',
      'SAMPLES\tGAZE\tLEFT\tRATE\t500.00',
      'MSG\t6 show dog',
      '7\t1\t2\t900',
      'END\t8 \tSAMPLES',
    ]
    writeFileSync(asc, `${lines.join('\n')}\n`)
    writeFileSync(join(directory, 'screens.csv'), 'participant,width,height\nkim,1280,720\n')
    const bundle = join(directory, 'bundle')
    const options = [
      '--item-message',
      '^show (\\w+)',
      '--onset-message',
      '^show',
      '--screens',
      join(directory, 'screens.csv'),
    ]
    expect(await gazette('convert', asc, '-o', bundle, ...options)).toBe(0)
    expect(JSON.parse(readFileSync(join(bundle, 'study.json'), 'utf8')).items).toMatchObject([{ filename: 'dog' }])
    expect(readFileSync(join(bundle, 'tests.csv'), 'utf8')).toContain(',1280,720,')
  })

  test.each([
    [['convert', 'x.csv'], `${PROGRAM} convert needs -o DIR, or --guess`],
    [
      ['convert', fixture('eyelink'), '-o', 'DIR', '--item-message', '('],
      '--item-message must be a regular expression, got (',
    ],
    [
      ['convert', fixture('eyelink'), '-o', 'DIR', '--screens', '/nowhere/s.csv'],
      'the table of screens /nowhere/s.csv cannot be read',
    ],
    [['convert', fixture('eyelink'), '-o', 'DIR', '--aois'], '--aois is for the zones of Gorilla'],
    [['convert', '/nowhere/x.csv', '-o', 'y'], 'there is no /nowhere/x.csv'],
    [['convert', fixture('gorila'), '-o', 'DIR'], '/gorilla?'],
    [['convert', fixture('gorilla'), '-o', 'DIR', '--screen', 'wide'], '--screen must be WIDTHxHEIGHT'],
    [['convert', fixture('gorilla'), '-o', 'DIR', '--study', 'mine'], '--study must be a UUID'],
    [['convert', fixture('gorilla'), '-o', 'DIR', '--format', 'gorila'], 'did you mean gorilla?'],
    [['convert', fixture('gorilla'), '-o', 'DIR', '--mapping', fixture('gorilla/eye.csv')], 'is not JSON'],
  ])('refuses %j in a sentence', async (args, sentence) => {
    const never = join(directory, 'never')
    expect(await gazette(...args.map((arg) => (arg === 'DIR' ? never : arg)))).not.toBe(0)
    expect(lines.error.join('\n')).toContain(sentence)
    expect(existsSync(never)).toBe(false)
  })
})

describe('gazette import', () => {
  test('recognises foreign files, and publishes them', async () => {
    expect(await gazette('import', fixture('eyelink'), '--data', data())).toBe(0)
    expect(lines.error.at(-1)).toMatch(/^Published study .*: 1 participant, 2 items, 2 tests, 6 samples\.$/)
    const study = lines.out[0]
    expect(await gazette('import', fixture('eyelink'), '--data', data())).toBe(0)
    expect(lines.error.at(-1)).toBe(`Study ${study} already has exactly this data: nothing to publish.`)
    expect(readdirSync(data())).toEqual(['audit.jsonl', 'studies'])
    expect(
      await gazette('export', 'gazes-split', '--study', study, '--data', data(), '-o', join(directory, 'x.csv')),
    ).toBe(0)
  })

  const recording = (folder: string, x: number) => {
    mkdirSync(join(directory, folder))
    const rows = [0, 1, 2].map((i) => `${i * 0.016},${x},0.5,1`)
    writeFileSync(join(directory, folder, 'User 0_all_gaze.csv'), `TIME,BPOGX,BPOGY,BPOGV\n${rows.join('\n')}\n`)
    return join(directory, folder, 'User 0_all_gaze.csv')
  }

  test('never puts a recording in place of another of the same name', async () => {
    for (const path of [recording('one', 0.25), recording('two', 0.75)])
      expect(await gazette('import', path, '--data', data())).toBe(0)
    const [one, two] = lines.out
    expect(one).not.toBe(two)
    expect(await gazette('studies', '--data', data())).toBe(0)
    expect(lines.out.join()).toContain(one)
    expect(lines.out.join()).toContain(two)
  })

  test('asks for --replace where the same recordings would be another study, and names what would go', async () => {
    const path = recording('one', 0.25)
    expect(await gazette('import', path, '--data', data(), '--name', 'Pilot')).toBe(0)
    const [study] = lines.out
    const again = ['import', path, '--data', data(), '--name', 'Pilot', '--screen', '1000x500']
    expect(await gazette(...again)).toBe(2)
    expect(lines.error.at(-1)).toContain(
      `these recordings belong to study Pilot (${study}), which holds 1 participant, 1 item, 1 test, 3 samples`,
    )
    expect(await gazette(...again, '--dry-run')).toBe(2)
    expect(await gazette(...again, '--replace')).toBe(0)
    expect(lines.error).toContain(
      `Replaces study Pilot (${study}), which holds 1 participant, 1 item, 1 test, 3 samples.`,
    )
    expect(lines.out.at(-1)).toBe(study)
    expect(await gazette(...again)).toBe(0)
    expect(lines.error.at(-1)).toBe(`Study ${study} already has exactly this data: nothing to publish.`)
  })

  test('keeps a study whose id is given, too, and leaves bundles to replace theirs', async () => {
    const study = '5f0c1d9e-3c1b-4c57-9d0a-2f0f2b7c1a01'
    const [one, two] = [recording('one', 0.25), recording('two', 0.75)]
    expect(await gazette('import', one, '--data', data(), '--study', study)).toBe(0)
    expect(await gazette('import', two, '--data', data(), '--study', study)).toBe(2)
    const bundle = join(directory, 'bundle')
    expect(await gazette('convert', two, '-o', bundle, '--study', study)).toBe(0)
    expect(await gazette('import', bundle, '--data', data(), '--replace')).toBe(2)
    expect(lines.error.at(-1)).toContain('leave out --replace')
    expect(await gazette('import', bundle, '--data', data())).toBe(0)
    expect(lines.error.at(-1)).toMatch(/^Published study 5f0c1d9e/)
  })

  test('adds who came later to a study whose id is given', async () => {
    const table = (who: string) => `participant,item,t_ms,x,y\n${who},a.png,0,5,6\n${who},a.png,16,7,8\n`
    for (const who of ['P1', 'P2']) writeFileSync(join(directory, `${who}.csv`), table(who))
    expect(await gazette('convert', '--guess', join(directory, 'P1.csv'))).toBe(0)
    writeFileSync(join(directory, 'mapping.json'), lines.out[0])
    const study = '5f0c1d9e-3c1b-4c57-9d0a-2f0f2b7c1a01'
    const options = ['--mapping', join(directory, 'mapping.json'), '--screen', '800x600', '--data', data()]
    const same = ['--study', study, '--name', 'Shelf']
    expect(await gazette('import', join(directory, 'P1.csv'), ...options, ...same)).toBe(0)
    expect(await gazette('import', join(directory, 'P2.csv'), '--append', ...options, ...same)).toBe(0)
    expect(lines.error.at(-1)).toBe(`Published study ${study}: 2 participants, 1 item, 2 tests, 4 samples.`)
  })

  test('adds a later recording to its study, with new items, and knows a file again', async () => {
    const table = (who: string, ...items: string[]) =>
      ['participant,item,t_ms,x,y', ...items.flatMap((item) => [`${who},${item},0,5,6`, `${who},${item},16,7,8`])].join(
        '\n',
      )
    const files = { P1: ['a.png', 'b.png'], P2: ['b.png', 'c.png', 'a.png'], P3: ['d.png', 'c.png'] }
    for (const [who, items] of Object.entries(files))
      writeFileSync(join(directory, `${who}.csv`), `${table(who, ...items)}\n`)
    writeFileSync(join(directory, 'P1-again.csv'), `${table('P1', 'a.png')}\n`)
    expect(await gazette('convert', '--guess', join(directory, 'P1.csv'))).toBe(0)
    writeFileSync(join(directory, 'mapping.json'), lines.out[0])
    const options = ['--mapping', join(directory, 'mapping.json'), '--screen', '800x600', '--data', data()]
    const adding = (name: string, ...more: string[]) =>
      gazette('import', join(directory, name), '--append', ...options, ...more)
    expect(await adding('P1.csv')).toBe(2)
    expect(lines.error.at(-1)).toContain('no study here was made of recordings')
    expect(await gazette('import', join(directory, 'P1.csv'), ...options)).toBe(0)
    const study = lines.out.at(-1)!
    expect(await adding('P2.csv')).toBe(0)
    expect(lines.error).toContainEqual(`Adds to study P1 (${study}).`)
    expect(lines.error).toContainEqual('Check: the study gets 1 new item: c.png.')
    expect(lines.error.at(-1)).toBe(`Published study ${study}: 2 participants, 3 items, 5 tests, 10 samples.`)
    expect(await adding('P2.csv')).toBe(0)
    expect(lines.error.at(-1)).toBe('Nothing to add: the study already has P2.csv.')
    expect(await adding('P1-again.csv')).toBe(0)
    expect(lines.error).toContainEqual('Check: participants whom the study has already have further sessions here: P1.')
    expect(await gazette('import', directory, '--append', ...options)).toBe(0)
    expect(lines.error.join('\n')).toMatch(/Left: 3 files whose recordings the study already has: /)
    expect(lines.error.at(-1)).toBe(`Published study ${study}: 3 participants, 4 items, 8 tests, 16 samples.`)
    expect(await adding('P3.csv', '--name', 'Other')).toBe(2)
    expect(lines.error.at(-1)).toContain('is called P1, not Other: leave out --name')
    // Another study makes it a question, unless a file tells.
    writeFileSync(join(directory, 'P9.csv'), `${table('P9', 'z.png')}\n`)
    expect(await gazette('import', join(directory, 'P9.csv'), ...options)).toBe(0)
    writeFileSync(join(directory, 'P4.csv'), `${table('P4', 'a.png')}\n`)
    expect(await adding('P4.csv')).toBe(2)
    expect(lines.error.at(-1)).toMatch(
      /^gazette: several studies here were made of recordings: say with --study which: /,
    )
    expect(await adding('P3.csv')).toBe(0)
    // The mapping and the screen are the study's.
    expect(await gazette('import', join(directory, 'P4.csv'), '--append', '--study', study, '--data', data())).toBe(0)
    expect(lines.error).toContainEqual(
      'Assumed: options that were not given are those of earlier imports of the study: its mapping, --screen 800x600.',
    )
    expect(lines.error.at(-1)).toBe(`Published study ${study}: 4 participants, 4 items, 9 tests, 18 samples.`)
    const one = ['import', join(directory, 'P5.csv'), '--append', '--study', study, '--data', data()]
    writeFileSync(join(directory, 'P5.csv'), 'who,t_ms,x,y\nP5,0,1,2\nP5,16,1,2\n')
    expect(await gazette(...one)).toBe(2)
    expect(lines.error.at(-1)).toContain('P5.csv is a table (who, t_ms, x, y) of no known format')
  })

  test('does not add a recording to somebody who may be another person', async () => {
    const table = (x: number) => `item,t_ms,x,y\na.png,0,${x},6\na.png,16,7,8\n`
    for (const [folder, x] of [
      ['one', 5],
      ['two', 6],
    ] as const) {
      mkdirSync(join(directory, folder))
      writeFileSync(join(directory, folder, 'gaze.csv'), table(x))
    }
    expect(await gazette('convert', '--guess', join(directory, 'one', 'gaze.csv'))).toBe(0)
    writeFileSync(join(directory, 'mapping.json'), lines.out[0])
    const options = ['--mapping', join(directory, 'mapping.json'), '--screen', '800x600', '--data', data()]
    expect(await gazette('import', join(directory, 'one', 'gaze.csv'), ...options)).toBe(0)
    expect(await gazette('import', join(directory, 'two', 'gaze.csv'), '--append', ...options)).toBe(2)
    expect(lines.error.at(-1)).toMatch(
      /the study has a participant gaze already, and only its name says whose recording gaze\.csv is/,
    )
  })

  test('takes a bundle as it is, and gives its own raw gazes the same study again', async () => {
    const bundle = join(directory, 'bundle')
    expect(await gazette('convert', fixture('reference'), '-o', bundle)).toBe(0)
    expect(await gazette('import', bundle, '--data', data(), '--screen', '800x600')).toBe(2)
    expect(lines.error.at(-1)).toContain('is a study bundle, which needs no such options: leave out --screen')
    expect(await gazette('import', bundle, '--data', data())).toBe(0)
    const study = lines.out.at(-1)!
    const raw = join(directory, 'raw', 'gazes.csv')
    mkdirSync(join(directory, 'raw'))
    const exportTo = (name: string, path: string) =>
      gazette('export', name, '--study', study, '--data', data(), '-o', path)
    expect(await exportTo('gazes-raw', raw)).toBe(0)
    expect(await exportTo('aoi-overall-stats', join(directory, 'raw', 'aois.csv'))).toBe(0)
    expect(await gazette('import', join(directory, 'raw'), '--data', join(directory, 'again'))).toBe(0)
    expect(lines.out.at(-1)).toBe(study)
    const again = join(directory, 'again.csv')
    expect(
      await gazette('export', 'gazes-raw', '--study', study, '--data', join(directory, 'again'), '-o', again),
    ).toBe(0)
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(raw, 'utf8'))
  })
})

test.each(['convert', 'import'])('Ctrl-C during %s leaves nothing behind, and says so', async (command) => {
  const table = join(directory, 'big.csv')
  writeFileSync(table, `t,x,y\n${Array.from({ length: 400_000 }, (_, i) => `${i},5,5\n`).join('')}`)
  const mapping = join(directory, 'mapping.json')
  const eyes = [{ x: 'x', y: 'y', unit: 'px' }]
  const columns = { participant: null, item: null, trial: null, gaze: eyes, screen: { widthPx: 9, heightPx: 9 } }
  const time = { column: 't', unit: 'ms', origin: 'first' }
  writeFileSync(mapping, JSON.stringify({ gazetteMapping: 1, ...columns, time }))
  mkdirSync(data())
  const to = command === 'convert' ? ['-o', join(directory, 'out')] : ['--data', data()]
  const before = process.listenerCount('SIGINT')
  const pressing = setInterval(() => {
    if (process.listenerCount('SIGINT') <= before) return
    clearInterval(pressing)
    process.emit('SIGINT')
  }, 1)
  const exitCode = await gazette(command, table, '--mapping', mapping, ...to)
  clearInterval(pressing)
  expect(exitCode).not.toBe(0)
  expect(lines.error.join('\n')).toMatch(/nothing (remains|is left of it)/)
  expect(readdirSync(directory).sort()).toEqual(['big.csv', 'data', 'mapping.json'])
  expect(readdirSync(data())).toEqual([])
})
