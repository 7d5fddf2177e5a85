import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { credentialsOf, urlOf } from '../engine/storage/credentials.ts'
import { type S3Server, startS3 } from '../engine/storage/s3-server.mjs'
import { GOLDEN_STUDY, importGolden } from '../engine/studies.ts'
import { gazette, NAME } from './gazette.ts'

let dir: string
let server: S3Server
let ignoring: S3Server
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gazette-copy-'))
  await importGolden(join(dir, 'data'))
  server = await startS3()
  ignoring = await startS3({ conditions: 'ignored' })
})
afterAll(async () => {
  await server?.stop()
  await ignoring?.stop()
  await rm(dir, { recursive: true, force: true })
})

test('an installation is copied to a bucket, read there, and copied back', async () => {
  const env = credentialsOf(server.credentials)
  const data = join(dir, 'data')
  const copied = await gazette(['copy', '--to', urlOf(server), '--data', data], env)
  expect(copied).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/: copied 1 of 1 study and 0 jobs \(\d+ files, /),
  })
  const STORE_URL = urlOf(server)
  const fixations = ['export', 'fixations', '--study', GOLDEN_STUDY]
  const [here, there] = await Promise.all([
    gazette([...fixations, '--data', data]),
    gazette([...fixations, '--data', join(dir, 'elsewhere')], { ...env, STORE_URL }),
  ])
  expect(there).toMatchObject({ code: 0, stderr: '', stdout: here.stdout })
  const back = await gazette(['copy', '--from', STORE_URL, '--data', join(dir, 'back')], env)
  expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('each compared with its SHA-256') })
  expect((await gazette([...fixations, '--data', join(dir, 'back')])).stdout).toBe(here.stdout)
})

test('what cannot be is said in one sentence', async () => {
  const sentence = async (args: string[], env: Record<string, string> = {}) => {
    const { code, stderr } = await gazette(args.includes('--data') ? args : [...args, '--data', join(dir, 'data')], env)
    return `${code} ${stderr.trim()}`
  }
  const told = await Promise.all([
    sentence(['copy']),
    sentence(['copy', '--to', urlOf(server), '--data', join(dir, 'nothing')], credentialsOf(server.credentials)),
    sentence(['copy', '--to', 's3://key:secret@bucket/x']),
    sentence(['copy', '--to', urlOf(ignoring)], credentialsOf(ignoring.credentials)),
    sentence(['work'], {
      ...credentialsOf(ignoring.credentials),
      STORE_URL: urlOf(ignoring),
      QUEUE_URL: 'redis://127.0.0.1:1',
    }),
    sentence(['studies'], { STORE_URL: 's3://key:secret@bucket' }),
  ])
  expect(told).toEqual([
    `2 gazette: ${NAME} copy needs either --to URL or --from URL`,
    `1 gazette: there is no study in ${join(dir, 'nothing')}`,
    expect.stringMatching(/^2 gazette: --to must be s3:\/\/bucket\/prefix, [^@]*, got s3:\/\/…@bucket\/x$/),
    expect.stringMatching(
      /^2 gazette: s3:\/\/studies\/lab\/ cannot be used: told to create a key only if it is not there .* overwrites/,
    ),
    expect.stringMatching(/^2 gazette: s3:\/\/studies\/lab\/ cannot be used: .* overwrites what is there/),
    expect.stringMatching(/^2 gazette: STORE_URL must be s3:\/\/bucket.*got "s3:…"$/),
  ])
})
