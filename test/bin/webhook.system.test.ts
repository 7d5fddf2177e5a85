import { expect, test } from 'vitest'
import { kept, keptDirectory } from '../engine/kept.ts'
import { receive } from '../worker/webhooks/receiving.ts'
import { gazette, NAME } from './gazette.ts'

const dataDir = await keptDirectory()
const receiving = kept(await receive(() => 204))

const run = (...args: string[]) => gazette(['webhook', ...args, '--data', dataDir], { WEBHOOK_NETWORKS: '127.0.0.1' })

test('a webhook is made, tried, listed, given a new secret and removed by command', async () => {
  const made = await run('create', receiving.url, '--name', 'lab', '--event', 'job.failed', 'job.succeeded')
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_[\w+/]{43}=\n$/) })
  const [id] = /wh_\w+/.exec(made.stderr)!
  receiving.secret.value = made.stdout.trim()
  expect((await run('list')).stdout).toMatch(
    new RegExp(
      `^${id}  ${receiving.url}  job.succeeded job.failed  all studies  made \\S+  on  0 messages to deliver  lab\\n$`,
    ),
  )
  expect(await run('ping', id)).toMatchObject({ code: 0, stderr: expect.stringContaining('answered 204') })
  const rotated = await run('rotate', id)
  receiving.secret.value = rotated.stdout.trim()
  expect(await run('ping', id)).toMatchObject({ code: 0 })
  receiving.secret.value = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  expect(await run('ping', id)).toMatchObject({
    code: 1,
    stderr: `gazette: ${receiving.url} did not accept the message: answered 401\n`,
  })
  const log = (await run('log', id)).stdout
  expect(
    log
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^\S+ {2}\S+ {2}|\d+ ms$/g, '')),
  ).toEqual([
    'webhook.ping  try 1  delivered  ',
    'webhook.ping  try 1  delivered  ',
    'webhook.ping  try 1  failed  answered 401  ',
  ])
  expect(await run('remove', id)).toMatchObject({ code: 0, stderr: `Webhook ${id} is removed.\n` })
  expect(await run('list')).toMatchObject({ stdout: '', stderr: expect.stringContaining('no webhook yet') })
})

test('a typo gets one sentence with the correct form', async () => {
  const wrong = async (...args: string[]) => {
    const { code, stderr } = await run(...args)
    return [code, stderr.trimEnd()]
  }
  expect(await wrong('create', 'example.org/hook')).toEqual([
    2,
    'gazette: the address of a webhook must be an address such as https://example.org/hook, got example.org/hook',
  ])
  const [code, sentence] = await wrong('create', receiving.url, '--event', 'job.done')
  expect([code, sentence]).toEqual([
    2,
    expect.stringContaining('job.succeeded, job.failed, study.published, study.removed'),
  ])
  expect(await wrong('ping', 'wh_1')).toEqual([1, `gazette: there is no webhook wh_1; ${NAME} webhook list shows them`])
  expect(await wrong('remove', '../..')).toEqual([
    1,
    `gazette: there is no webhook ../..; ${NAME} webhook list shows them`,
  ])
})
