import { execFileSync, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { VERSION } from '../../engine/model/version.ts'
import { keptDirectory } from '../engine/kept.ts'
import { gazette } from './gazette.ts'

const has = (program: string) => spawnSync(program, ['--version']).error === undefined
const dir = await keptDirectory()

test('gazette help prints what --help prints, also of a command of a command; gazette version prints the version', async () => {
  const of = ['token', 'create']
  expect(await gazette(['help', ...of])).toEqual(await gazette([...of, '--help']))
  expect(await gazette(['help', 'token', 'creat'])).toMatchObject({
    code: 2,
    stderr: 'gazette: there is no command creat; did you mean create?\n',
  })
  expect((await gazette(['version'])).stdout).toBe(`${VERSION}\n`)
})

test.skipIf(!has('bash'))('bash completes commands, options, values and files', async () => {
  const script = join(dir, 'gazette.bash')
  await writeFile(script, (await gazette(['completion', 'bash'])).stdout)
  await writeFile(join(dir, 'a study.csv'), '')
  /** Completes the last word, as bash does when Tab is pressed. */
  const completed = (...words: string[]) => {
    const line = `source "$0"; COMP_WORDS=(gazette "$@"); COMP_CWORD=$#; _gazette; printf '%s\\n' "\${COMPREPLY[@]}"`
    const out = execFileSync('bash', ['--norc', '-c', line, script, ...words], { cwd: dir, encoding: 'utf8' })
    return out.split('\n').filter((each) => each !== '' && each !== 'gazette.bash')
  }
  expect(completed('exp')).toEqual(['export'])
  expect(completed('token', '')).toEqual(['create', 'link', 'list', 'revoke'])
  expect(completed('export', 'fix')).toEqual(['fixations', 'fixations-aois'])
  expect(completed('export', 'fixations', '--study', 'x', '--format', 'p')).toEqual(['parquet'])
  expect(completed('token', 'create', '--role', '')).toEqual(['collect', 'read', 'write', 'ops'])
  expect(completed('token', 'list', '--j')).toEqual(['--json'])
  expect(completed('help', 'tok')).toEqual(['token'])
  expect(completed('settings', 'SYNC_C')).toEqual(['SYNC_CONCURRENCY'])
  expect(completed('import', 'a')).toEqual(['a study.csv'])
  expect(completed('export', 'fixations', '-o', 'a')).toEqual(['a study.csv'])
  expect(completed('token', 'create', '--name', '')).toEqual([])
})

test.skipIf(!has('zsh'))('zsh reads the completion, and completes', async () => {
  const script = join(dir, '_gazette')
  await writeFile(script, (await gazette(['completion', 'zsh'])).stdout)
  expect(spawnSync('zsh', ['-n', script])).toMatchObject({ status: 0 })
  // _describe and compadd print what they get.
  const line = `compdef() { }; _describe() { print -l -- "\${(@P)2}" }; compadd() { print -l -- "\${@:2}" }; _files() { print files }; _message() { }
    source "$1"; shift; words=(gazette "$@"); CURRENT=\${#words}; _gazette`
  const completed = (...words: string[]) =>
    execFileSync('zsh', ['-f', '-c', line, 'zsh', script, ...words], { encoding: 'utf8' })
      .trimEnd()
      .split('\n')
  expect(completed('token', '')).toContain('revoke:revoke a token; takes effect within a second')
  expect(completed('token', 'create', '--role', '')).toEqual(['collect', 'read', 'write', 'ops'])
  expect(completed('export', '-')).toContain('--spss:also write SPSS syntax that reads the CSV')
  expect(completed('import', '')).toEqual(['files'])
})

test.skipIf(!has('fish'))('fish completes commands, options and values', async () => {
  const script = join(dir, 'gazette.fish')
  await writeFile(script, (await gazette(['completion', 'fish'])).stdout)
  const completed = (words: string) =>
    execFileSync('fish', ['--no-config', '-c', `source ${script}; complete -C "gazette ${words}"`], {
      encoding: 'utf8',
      env: { ...process.env, HOME: dir },
    })
      .trimEnd()
      .split('\n')
  expect(completed('token ')).toContain('revoke\trevoke a token; takes effect within a second')
  expect(completed('export fix').map((each) => each.split('\t')[0])).toEqual(['fixations', 'fixations-aois'])
  expect(completed('token create --role w').map((each) => each.split('\t')[0])).toEqual(['write'])
})

test.skipIf(!has('groff'))('groff has nothing to say about the man page', () => {
  const page = new URL('../../man/gazette.1', import.meta.url).pathname
  const { status, stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-z', page], { encoding: 'utf8' })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})
