import { mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { main, program } from '../../bin/command-line.ts'
import { openWatchedFolder } from '../../bin/runtime/watched-folder.ts'
import { asCalled } from '../../bin/terminal/program-name.ts'
import { keptDirectory } from '../engine/kept.ts'

const folder = await keptDirectory()
await mkdir(join(folder, 'lab', 'data'), { recursive: true })
afterEach(() => vi.restoreAllMocks())

/** Runs a command in this process. Returns its exit code, and what it wrote to standard error. */
async function run(...args: string[]): Promise<{ code: unknown; stderr: string }> {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  vi.spyOn(console, 'error').mockImplementation((text) => void lines.push(`${text}\n`))
  const before = process.stdout.listeners('error')
  await main(['node', 'gazette', ...args])
  for (const added of process.stdout.listeners('error').filter((each) => !before.includes(each)))
    process.stdout.off('error', added as () => void)
  const code = process.exitCode
  process.exitCode = undefined
  return { code, stderr: lines.join('').replace(/ \(see .* --help\)/, '') }
}

test.each([
  ['studies --data', '--data must not be empty', ['studies', '--data', '']],
  ['studies --data=', '--data must not be empty', ['studies', '--data=']],
  ['export -o', '--output must not be empty', ['export', 'fixations', '--study', 'x', '-o', '']],
  ['export --filter', '--filter must not be empty', ['export', 'fixations', '--study', 'x', '--filter', '']],
  ['analyse --group', '--group must not be empty', ['analyse', 'pupils', '--group', 'true', '']],
  ['remove --participant', '--participant must not be empty', ['remove', '--study', 'x', '--participant', '']],
  ['watch', '<dir> must not be empty', ['watch', '']],
  ['import', '<paths...> must not be empty', ['import', 'a', '']],
  ['token revoke', '<id> must not be empty', ['token', 'revoke', '']],
])('an empty text is refused, as an unset variable of a script: %s', async (_, sentence, args) => {
  expect(await run(...args)).toEqual({ code: 2, stderr: `gazette: ${sentence}\n` })
})

test.each([
  ['--format must be given once, got --format "csv" and --format "xlsx"', ['--format', 'csv', '--format=xlsx']],
  ['--output must be given once, got --output "a" and --output "b"', ['-o', 'a', '--output', 'b']],
  [
    '--moving-median-range-ms must be given once, got --moving-median-range-ms "100" and --moving-median-range-ms "200"',
    ['--moving-median-range-ms', '100', '--moving-median-range-ms', '200'],
  ],
])('an option with two values is refused, not settled by the last: %s', async (sentence, options) => {
  const args = ['export', 'fixations', '--study', 'x', '--data', folder, ...options]
  expect(await run(...args)).toEqual({ code: 2, stderr: `gazette: ${sentence}\n` })
})

test.each([
  [
    '--group applies only to gazette analyse comparisons, mixed, pupils, microsaccades, clusters, looks, not to visits',
    ['analyse', 'visits', '--study', 'x', '--group', 'true'],
  ],
  [
    '--measure applies only to gazette analyse comparisons, within, mixed, not to quality',
    ['analyse', 'quality', '--study', 'x', '--measure', 'aoi_fixation_ttff_ms'],
  ],
  [
    '--test applies only to gazette analyse comparisons, not to within',
    ['analyse', 'within', '--study', 'x', '--test', 'mann-whitney'],
  ],
  ['give --append or --replace, not both', ['import', 'x', '--append', '--replace']],
  [
    '--to must be s3://bucket/prefix, with ?region=, endpoint=, pathStyle=true or allowHttp=true behind it where needed, or file:///directory, got backup',
    ['copy', '--to', 'backup'],
  ],
])('an option that does not fit is refused, not ignored: %s', async (sentence, args) => {
  expect(await run(...args, '--data', folder)).toEqual({ code: 2, stderr: `gazette: ${asCalled(sentence)}\n` })
})

test('flags that say the opposite are refused, the same flag or value twice is not', async () => {
  expect((await run('describe', '--study', 'x', '--archive', '--no-archive')).stderr).toBe(
    'gazette: --no-archive must be given once, got --archive and --no-archive\n',
  )
  const twice = ['studies', '--all', '--all', '--data', folder, '--data', folder]
  expect(await run(...twice)).toEqual({ code: undefined, stderr: expect.stringContaining('There is no study in') })
})

test('a sentence names every command as it was called', () => {
  for (const command of program().commands)
    expect(asCalled(`gazette ${command.name()} --help`, 'npx gazette')).toBe(`npx gazette ${command.name()} --help`)
})

test.each([
  ['lab', 'lab/data', 'holds the'],
  ['lab', 'lab/data/new', 'holds the'],
  ['lab/data', 'lab/data', 'is the'],
  ['lab/data', 'lab', 'lies in the'],
  ['lab', 'link/data', 'holds the'],
])('no folder is watched that would move the data directory: %s with data in %s', async (watched, data, how) => {
  await symlink(join(folder, 'lab'), join(folder, 'link')).catch(() => undefined)
  const [path, dataDir] = [join(folder, watched), join(folder, data)]
  await expect(openWatchedFolder(path, 0, dataDir)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`${path} ${how} data directory ${dataDir}`),
  })
  expect(await readdir(join(folder, 'lab'))).toEqual(['data'])
  expect(await readdir(join(folder, 'lab', 'data'))).toEqual([])
})

test('a folder beside the data directory is watched, also with a name that begins as its name', async () => {
  const path = join(folder, 'lab', 'data-in')
  await mkdir(path)
  await (await openWatchedFolder(path, 0, join(folder, 'lab', 'data'))).close()
  await rm(path, { recursive: true })
})

test.each([
  ['-o must name a file, got -: without -o, the table goes to standard output', '-'],
  ['/dev/null cannot be written: it is a device or a pipe; use > /dev/null without -o', '/dev/null'],
])('-o takes the place of a file only, even if forced: %s', async (sentence, output) => {
  const args = ['export', 'fixations', '--study', 'x', '--force', '--data', folder, '-o', output]
  expect(await run(...args)).toEqual({ code: 2, stderr: `gazette: ${sentence}\n` })
})

const ID = '00000000-0000-4000-8000-000000000000'

test.each([
  [['export', 'fixations', '--study', 'x']],
  [['sql', 'SELECT 1', '--study', ID]],
  [['methods', '--study', ID]],
  [['describe', '--study', ID, '--name', 'Other']],
  [['remove', '--study', ID, '--yes']],
  [['analyses', 'list', '--study', ID]],
  [['token', 'revoke', 'x']],
  [['token', 'create', '--study', 'x']],
  [['webhook', 'ping', 'x']],
])('a data directory that does not exist is named, and is not created: %j', async (args) => {
  const data = join(folder, 'mistyped', 'data')
  const stderr = `gazette: there is no directory ${data}: name that of the studies by --data\n`
  expect(await run(...args, '--data', data)).toEqual({ code: 1, stderr })
  expect(await readdir(folder)).not.toContain('mistyped')
})
