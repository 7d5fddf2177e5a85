import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { keptDirectory } from '../engine/kept.ts'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import { BIN, gazette, hasTerminals, launch } from './gazette.ts'

const bundle = fileURLToPath(new URL('../golden/bundle', import.meta.url))
const dir = await keptDirectory()
const data = join(dir, 'data')
expect(await gazette(['import', bundle, '--data', data])).toMatchObject({ code: 0, stdout: `${GOLDEN_STUDY}\n` })

describe('gazette export', () => {
  test('writes to standard output what it writes to a file, and nothing else', async () => {
    const file = join(dir, 'fixations.csv')
    const toFile = await gazette(['export', 'fixations', '--study', GOLDEN_STUDY, '-o', file, '--data', data])
    const toOutput = await gazette(['export', 'fixations', '--study', GOLDEN_STUDY.toUpperCase()], { DATA_DIR: data })
    expect(toFile).toMatchObject({ code: 0, stdout: '' })
    expect(toFile.stderr).toMatch(/fixations\.csv: \d+ rows, \d+\.\d kB\n$/)
    expect(toOutput).toMatchObject({ code: 0, stderr: '' })
    expect(toOutput.stdout).toBe(await readFile(file, 'utf8'))
    expect(toOutput.stdout.split('\n').length).toBeGreaterThan(5)
  })
  test('replaces a file with --force alone', async () => {
    const file = join(dir, 'there.csv')
    await writeFile(file, 'mine')
    const again = ['export', 'fixations', '--study', GOLDEN_STUDY, '-o', file, '--data', data]
    const refused = await gazette(again)
    expect([refused.code, refused.stderr]).toEqual([
      2,
      `gazette: ${file} already exists: add --force to replace it, or choose another name\n`,
    ])
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect((await gazette([...again, '--force'])).code).toBe(0)
    expect(await readFile(file, 'utf8')).toMatch(/^study_id,/)
  })
  test('knows a study by its name and an item by its file name', async () => {
    const study = (await openStudies(data).current(GOLDEN_STUDY))!.study
    const [item] = study.items
    const byName = await gazette([
      'export',
      'fixations',
      '--study',
      study.name,
      '--item',
      item.filename,
      '--data',
      data,
    ])
    const byId = await gazette(['export', 'fixations', '--study', study.id, '--item-id', item.id, '--data', data])
    expect(byName.stdout.split('\n').length).toBeGreaterThan(2)
    expect(byName.stdout).toBe(byId.stdout)
  })
  test.skipIf(!hasTerminals)('writes no binary to a terminal', async () => {
    const args = ['export', 'fixations', '--study', GOLDEN_STUDY, '--format', 'parquet', '--data', data]
    const { code, stdout } = await launch(args, {}, { isTerminal: true }).ended
    expect([code, stdout]).toEqual([2, 'gazette: parquet cannot be shown on a terminal: add -o FILE\n'])
  })
  test('takes the parameters of the interface in kebab case', async () => {
    const options = [
      '--max-fixation-duration-ms',
      '1000',
      '--participant-quality-grade-item-min',
      '4',
      '--gaze-velocity-threshold',
      '99.5',
    ]
    const { stdout } = await gazette(['export', 'fixations', '--study', GOLDEN_STUDY, ...options, '--data', data])
    expect(stdout).toContain('gazeVelocityThreshold = 99.5; minFixationDurationMs = 80; maxFixationDurationMs = 1000;')
    expect(stdout).toContain('participantQualityGradeItemMin = 4')
  })
  test('takes a filter, and refuses one that is none, saying where', async () => {
    const filtered = (filter: string) =>
      gazette(['export', 'fixations', '--study', GOLDEN_STUDY, '--filter', filter, '--data', data])
    expect((await filtered(' FALSE')).stdout.split('\n')).toHaveLength(2)
    expect((await filtered('TRUE')).stdout).toContain('; filter = TRUE')
    const { code, stdout, stderr } = await filtered('TRUE OR')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/filter must have a condition.*\(character 8\), got TRUE OR/)
  })

  test('clears what killed ones of the same name left, and no file of a living one', async () => {
    const parts = await mkdtemp(join(dir, 'parts-'))
    const killed = launch(['--help'])
    killed.process.kill('SIGKILL')
    await killed.ended
    const [left, living, other] = [`a.csv.${killed.process.pid}.part`, `a.csv.${process.pid}.part`, 'a.csv.12x.part']
    for (const name of [left, living, other]) await writeFile(join(parts, name), 'half')
    const file = join(parts, 'a.csv')
    expect(await gazette(['export', 'mouse', '--study', GOLDEN_STUDY, '-o', file, '--data', data])).toMatchObject({
      code: 0,
    })
    expect((await readdir(parts)).sort()).toEqual(['a.csv', living, other].sort())
  })
  test('names every export in its help', async () => {
    const { stdout, code } = await gazette(['export', '--help'])
    expect(code).toBe(0)
    for (const { name } of EXPORTS) expect(stdout.replaceAll(/\s+/g, ' ')).toContain(name)
  })
  test('leaves no file where it cannot give a whole one', async () => {
    const damaged = join(dir, 'damaged')
    const { stdout } = await gazette(['import', bundle, '--data', damaged])
    const [snapshot] = (await readdir(join(damaged, 'studies', stdout.trim()))).filter((name) => name.length === 64)
    await writeFile(join(damaged, 'studies', stdout.trim(), snapshot, 'samples-00000.parquet'), 'spoilt')
    const before = await readdir(dir)
    const ended = await gazette([
      'export',
      'fixations',
      '--study',
      GOLDEN_STUDY,
      '-o',
      join(dir, 'out.csv'),
      '--data',
      damaged,
    ])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr.trim().split('\n')).toHaveLength(1)
    expect(ended.stderr).not.toContain(dir)
    expect(await readdir(dir)).toEqual(before)
  })
})

describe('wrong usage is one sentence on standard error and exit code 2', () => {
  test.each<[string[], RegExp]>([
    [['exprot', 'fixations'], /unknown command 'exprot'.*export/],
    [['export', 'fixation', '--study', GOLDEN_STUDY], /no export fixation; did you mean fixations\?/],
    [['export', 'fixations'], /'--study <study>' not specified/],
    [['export', 'fixations', '--study', GOLDEN_STUDY, '--hz', '3'], /unknown option '--hz'/],
    [['export', 'fixations', '--studdy', GOLDEN_STUDY], /unknown option '--studdy' \(Did you mean --study\?\)/],
    [
      ['export', 'fixations', '--study', GOLDEN_STUDY, '--item', 'x.svg'],
      /has no item x\.svg; (its items are|did you mean) /,
    ],
    [
      ['export', 'fixations', '--study', GOLDEN_STUDY, '--filter', 'participant_agge > 3'],
      /did you mean participant_age\?/,
    ],
    [['export', 'fixations', '--study', GOLDEN_STUDY, '--detector', 'velocty'], /Allowed choices are velocity/],
    [['settings', 'prot'], /no setting PROT; did you mean PORT\?/],
    [
      ['export', 'fixations', '--study', GOLDEN_STUDY, '--moving-median-range-ms', '5'],
      /--moving-median-range-ms must be a whole number from 20 to 1000, got "5"/,
    ],
    [
      ['export', 'fixations', '--study', GOLDEN_STUDY, '--min-fixation-duration-ms', '500'],
      /must be at most --max-fixation-duration-ms, which is 400/,
    ],
    [['export', 'fixations', '--study', GOLDEN_STUDY, '--item-id', 'x'], /--item-id must be a UUID/],
    [
      ['export', 'fixations', '--study', GOLDEN_STUDY, '-o', '/nowhere/at/all.csv'],
      /cannot be written: its directory does not exist/,
    ],
    [['studies', '--data', process.execPath], /^gazette: --data, or DATA_DIR, must be a directory: .* is a file/],
    [['studies', '--data', `${process.execPath}/x`], /cannot be used: it is not in a directory/],
    [['demo', '--hz', '1'], /whole number from 5 to 2000/],
    [['token', 'create', '--role', 'admin'], /Allowed choices are .*read.*gazette.cjs token create --help/],
    [['token', 'create', '--expires', 'yesterday'], /--expires must be/],
    [['serve'], /needs QUEUE_URL/],
    [['work'], /needs QUEUE_URL/],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await gazette(args, { DATA_DIR: data })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
  test('and wrong settings are all named at once', async () => {
    const { code, stderr } = await gazette(['studies'], {
      DATA_DIR: data,
      PORT: '99999',
      HOLD_SECONDS: 'long',
      QUEUE_URL: 'amqp://user:secret@x',
    })
    expect(code).toBe(2)
    expect(stderr).toMatch(/PORT must be 0 to 65535.*QUEUE_URL.*HOLD_SECONDS must be 0 to 60 s, got "long"/)
    expect(stderr).not.toContain('secret')
  })
})

describe('what cannot be done is one sentence and exit code 1', () => {
  test.each<[string[], RegExp]>([
    [['export', 'fixations', '--study', '00000000-0000-4000-8000-000000000000'], /there is no study 00000000/],
    [['remove', '--study', '00000000-0000-4000-8000-000000000000'], /there is no study 00000000/],
    [['token', 'revoke', 'nobody'], /there is no token nobody/],
  ])('%j', async (args, sentence) => {
    const { code, stderr } = await gazette(args, { DATA_DIR: data })
    expect(code).toBe(1)
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
  test('a bundle with faults lists each of them, and publishes nothing', async () => {
    const broken = await mkdtemp(join(tmpdir(), 'gazette-broken-'))
    try {
      for (const name of await readdir(bundle)) await writeFile(join(broken, name), await readFile(join(bundle, name)))
      const tests = await readFile(join(bundle, 'tests.csv'), 'utf8')
      await writeFile(join(broken, 'tests.csv'), tests.replace('990.4', 'soon').replace(',6,1000,', ',7,1000,'))
      const fresh = join(dir, 'fresh')
      const { code, stderr } = await gazette(['import', broken, '--data', fresh])
      expect(code).toBe(1)
      expect(stderr).toMatch(/tests\.csv, line 2, quality_grade_item: "7" must be/)
      expect(stderr).toMatch(/tests\.csv, line 3, duration_ms: "soon" must be/)
      expect((await gazette(['studies', '--data', fresh])).stdout).toBe('')
    } finally {
      await rm(broken, { recursive: true, force: true })
    }
  })
})

test('commands and settings fit a terminal of 80 × 24, commands first', async () => {
  for (const args of [['--help'], ['settings']]) {
    const lines = (await gazette(args)).stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThan(24)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  }
  for (const command of ['export', 'import', 'token', 'demo'])
    for (const line of (await gazette([command, '--help'])).stdout.split('\n'))
      expect(line.length).toBeLessThanOrEqual(80)
})

test('a name cannot command the terminal that lists it', async () => {
  const named = join(dir, 'named')
  const { stdout } = await gazette(['demo', '--participants', '1', '--items', '1', '--seconds', '1', '--data', named])
  const id = stdout.trim()
  const study = ['--study', id, '--data', named]
  expect(await gazette(['describe', '--name', 'red \u001b[31m\nline', ...study])).toMatchObject({ code: 0 })
  await gazette(['token', 'create', '--name', 'a\nb\u009b2J', '--data', named])
  expect((await gazette(['studies', '--data', named])).stdout).toMatch(new RegExp(`^${id} +red ·\\[31m·line\n +1 part`))
  expect((await gazette(['token', 'list', '--data', named])).stdout).toMatch(/ a·b·2J\n$/)
  expect((await gazette(['remove', ...study])).stderr).toMatch(
    /^gazette: add --yes to delete study red ·\[31m·line .*\n$/,
  )
})

test('standard output on a full disk is one sentence', () => {
  for (const args of [`export gazes-raw --study ${GOLDEN_STUDY}`, 'studies', '--help']) {
    const line = `"${process.execPath}" "${BIN}" ${args} > /dev/full`
    const { status, stderr } = spawnSync('sh', ['-c', line], { env: { DATA_DIR: data }, encoding: 'utf8' })
    const sentence = 'gazette: standard output cannot be written: the disk is full\n'
    expect([status, stderr], args).toEqual([1, sentence])
  }
})

test('gazette check finds a changed byte', async () => {
  const checked = join(dir, 'checked')
  await gazette(['import', bundle, '--data', checked])
  expect(await gazette(['check', '--data', checked])).toMatchObject({ code: 0, stdout: '' })
  const study = join(checked, 'studies', GOLDEN_STUDY)
  const [snapshot] = (await readdir(study)).filter((name) => name.length === 64)
  const file = join(study, snapshot, 'samples-00000.parquet')
  const bytes = await readFile(file)
  bytes[bytes.length >> 1] ^= 1
  await rm(file)
  await writeFile(file, bytes)
  const ended = await gazette(['check', '--data', checked])
  expect(ended.code).toBe(1)
  expect(ended.stdout).toContain('samples-00000.parquet')
})

test('gazette demo, studies and remove work together', async () => {
  const fresh = join(dir, 'demo')
  const size = ['--participants', '3', '--items', '2', '--seconds', '3', '--seed', '5']
  const id = (await gazette(['demo', ...size, '--data', fresh])).stdout.trim()
  expect((await gazette(['studies', '--data', fresh])).stdout).toContain(id)
  expect(await gazette(['remove', '--study', id, '--yes', '--data', fresh])).toMatchObject({ code: 0 })
  expect((await gazette(['studies', '--data', fresh])).stdout).toBe('')
})
