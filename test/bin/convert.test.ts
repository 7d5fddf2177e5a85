import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../bin/main.ts'

// `main` listens to standard output anew each time.
process.stdout.setMaxListeners(50)

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

const fixture = (name: string) => join(import.meta.dirname, '../engine/readers/fixtures', name)
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
      'samples.parquet',
      'study.json',
      'tests.csv',
    ])
    expect(lines.out).toEqual([bundle])
    expect(lines.error[0]).toBe('Read as Pupil Cloud or Neon time series: pupil/ride-1/gaze.csv.')
    expect(lines.error[1]).toBe('Took 1 participant, 1 item, 1 test, 3 samples, 67 % of them without gaze.')
    expect(lines.error.filter((line) => line.startsWith('Left: '))).toHaveLength(3)
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
      'Check: the size of the screen is not in the table: fill in screen, or give --screen.',
    ])
    const mapping = join(directory, 'mapping.json')
    writeFileSync(mapping, lines.out[0])
    const bundle = join(directory, 'bundle')
    expect(await gazette('convert', table, '--mapping', mapping, '-o', bundle)).toBe(2)
    expect(await gazette('convert', table, '--mapping', mapping, '--screen', '800x600', '-o', bundle)).toBe(0)
    expect(readFileSync(join(bundle, 'tests.csv'), 'utf8')).toContain(',800,600,')
  })

  test.each([
    [['convert', 'x.csv'], 'gazette convert needs -o DIR, or --guess'],
    [['convert', '/nowhere/x.csv', '-o', 'y'], 'there is no /nowhere/x.csv'],
    [['convert', fixture('gorilla'), '-o', 'DIR', '--screen', 'wide'], '--screen must be WIDTHxHEIGHT'],
    [['convert', fixture('gorilla'), '-o', 'DIR', '--study', 'mine'], '--study must be a UUID'],
    [['convert', fixture('gorilla'), '-o', 'DIR', '--format', 'gorila'], 'did you mean gorilla?'],
    [['convert', fixture('gorilla'), '-o', 'DIR', '--mapping', fixture('gorilla/eye.csv')], 'is no JSON'],
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
    expect(lines.error.at(-1)).toBe(`Study ${study} holds exactly this already: nothing to publish.`)
    expect(readdirSync(data())).toEqual(['studies'])
    expect(
      await gazette('export', 'gazes-split', '--study', study, '--data', data(), '-o', join(directory, 'x.csv')),
    ).toBe(0)
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

  test('takes a bundle as it is, and gives its own raw gazes the same study again', async () => {
    const bundle = join(directory, 'bundle')
    expect(await gazette('convert', fixture('reference'), '-o', bundle)).toBe(0)
    expect(await gazette('import', bundle, '--data', data(), '--screen', '800x600')).toBe(2)
    expect(lines.error.at(-1)).toContain('is a study bundle, which says all by itself: leave out --screen')
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
