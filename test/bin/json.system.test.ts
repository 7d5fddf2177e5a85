import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { keptDirectory } from '../engine/kept.ts'
import { GOLDEN_STUDY } from '../engine/studies.ts'
import { gazette } from './gazette.ts'

const bundle = fileURLToPath(new URL('../golden/bundle', import.meta.url))
const data = await keptDirectory()
const ajv = new Ajv2020({ allErrors: true })
;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
const schema = await readFile(new URL('../../docs/command-line.schema.json', import.meta.url), 'utf8')
ajv.addSchema(JSON.parse(schema), 'gazette')

/** Runs a command with --json, and returns what it printed, which must be of its schema. */
async function answered(name: string, args: string[], code = 0) {
  const ended = await gazette([...args, '--json', ...(name === 'settings' ? [] : ['--data', data])])
  expect(ended, ended.stderr).toMatchObject({ code })
  const answer = JSON.parse(ended.stdout)
  const validate = ajv.getSchema(`gazette#/$defs/${name}`)!
  expect(validate(answer) || validate.errors).toBe(true)
  return answer
}

test('what commands print with --json is of their schemas', async () => {
  const imported = await answered('import', ['import', bundle])
  expect(imported).toMatchObject({ study: { id: GOLDEN_STUDY }, published: true, conversion: null, nothingNew: null })
  expect(await answered('import', ['import', bundle])).toMatchObject({ published: false })
  const size = ['--participants', '2', '--items', '1', '--seconds', '2']
  const demo = await answered('demo', ['demo', ...size])
  expect(demo).toMatchObject({ published: true, counts: { participants: 2, items: 1, tests: 2 } })
  await gazette(['describe', '--study', demo.study.id, '--archive', '--data', data])
  const idsOf = async (...more: string[]) =>
    (await answered('studies', ['studies', ...more])).studies.map(({ id }: { id: string }) => id)
  expect(await idsOf()).toEqual([GOLDEN_STUDY])
  expect((await idsOf('--all')).sort()).toEqual([GOLDEN_STUDY, demo.study.id].sort())

  const token = (await gazette(['token', 'create', '--name', 'R', '--data', data])).stdout.trim()
  await gazette(['token', 'link', `/studies/${GOLDEN_STUDY}`, '--whole', '--data', data])
  const { tokens } = await answered('tokens', ['token', 'list'])
  expect(tokens).toMatchObject([
    { name: 'R', role: 'read', studies: 'all', expiresAt: null, lastUsedAt: null },
    { role: 'link', link: { page: 'study' } },
  ])
  const stored: { tokens: { sha256: string }[] } = JSON.parse(await readFile(join(data, 'tokens.json'), 'utf8'))
  for (const secret of [token, ...stored.tokens.map(({ sha256 }) => sha256)])
    expect(JSON.stringify(tokens)).not.toContain(secret)

  const secret = (await gazette(['webhook', 'create', 'https://example.org/x', '--data', data])).stdout.trim()
  const { webhooks } = await answered('webhooks', ['webhook', 'list'])
  expect(webhooks).toMatchObject([{ url: 'https://example.org/x', studies: 'all', waiting: 0, disabled: null }])
  expect(JSON.stringify(webhooks)).not.toContain(secret)

  expect((await answered('settings', ['settings', 'gazette_port', 'queue_url'])).settings).toMatchObject([
    { name: 'PORT', default: '8080' },
    { name: 'QUEUE_URL', default: null },
  ])
  expect((await answered('settings', ['settings'])).settings.length).toBeGreaterThan(20)

  expect(await answered('check', ['check'])).toMatchObject({ checked: { access: 1, webhooks: 1 }, faults: [] })
  await writeFile(join(data, 'tokens.json'), '{}')
  const { faults } = await answered('check', ['check'], 1)
  expect(faults).toMatchObject([{ fault: expect.stringMatching(/^tokens\.json/), repaired: null }])
})
