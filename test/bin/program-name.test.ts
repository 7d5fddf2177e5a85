import { expect, test } from 'vitest'
import { asCalled, programName } from '../../bin/terminal/program-name.ts'

test.each([
  ['npm start, npm run gazette', '/lab/gazette/scripts/setup.mjs', { npm_lifecycle_event: 'start' }, 'npx gazette'],
  ['npx', '/lab/gazette/node_modules/.bin/gazette', { npm_lifecycle_event: 'npx', PATH: '/bin' }, 'npx gazette'],
  ['installed for all', '/usr/local/bin/gazette', { PATH: '/bin:/usr/local/bin' }, 'gazette'],
  ['installed, not in PATH', '/opt/gazette/bin/gazette', { PATH: '/bin' }, '/opt/gazette/bin/gazette'],
  ['beside one', '/home/me/gazette', { PATH: '/bin' }, './gazette'],
  ['node, in a clone', '/home/me/dist/bin/gazette.cjs', {}, 'node dist/bin/gazette.cjs'],
  ['node, elsewhere', '/opt/gazette/dist/bin/gazette.cjs', {}, 'node /opt/gazette/dist/bin/gazette.cjs'],
  ['node, with a blank', '/my lab/dist/bin/gazette.cjs', {}, 'node "/my lab/dist/bin/gazette.cjs"'],
  ['node, below npx', '/home/me/dist/bin/gazette.cjs', { npm_lifecycle_event: 'npx' }, 'node dist/bin/gazette.cjs'],
])('a program is named as it was called: %s', (_, script, env, name) => {
  expect(programName(script, env, '/home/me')).toBe(name)
})

test('a sentence that names a command names it as it was called, and nothing else', () => {
  const text =
    'gazette: there is no study x; gazette studies lists them, or see gazette --help. gazette.csv, gazette exportieren'
  expect(asCalled(text, 'npx gazette')).toBe(
    'gazette: there is no study x; npx gazette studies lists them, or see npx gazette --help. gazette.csv, gazette exportieren',
  )
})
