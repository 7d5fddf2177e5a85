import { spawn, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { expect, test } from 'vitest'
import { clientRoutes } from '../../server/http/client-files.ts'
import { answerErrors } from '../../server/http/problems.ts'
import { kept, keptDirectory } from '../engine/kept.ts'
import { canRun, PYTHON } from '../programs.ts'
import { openTestServer } from './test-server.ts'

const backend = fileURLToPath(new URL('../../clients/python/build_backend.py', import.meta.url))
const service = kept(await openTestServer())
const directory = await keptDirectory()
// As the build makes them; of R and JavaScript the name is all that matters here.
spawnSync(PYTHON, [backend, directory])
for (const name of ['gazette_0.2.0.tar.gz', 'gazette-client-0.2.0.tgz']) await writeFile(join(directory, name), name)
const app = express().use('/clients', clientRoutes('gazette', directory), answerErrors(service.parts.log))
const server = kept(createServer(app))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

test('a line installs each package from where it lies, and the file is the one that was built', async () => {
  const lines = (await (await fetch(`${url}/clients/`)).text()).trim().split('\n')
  expect(lines.slice(-2)).toEqual([
    expect.stringMatching(
      /^Rscript -e 'for \(p in c\("curl", "jsonlite", "openssl"\)\) if .* -e 'install\.packages\("http:.*\/clients\/gazette_0\.2\.0\.tar\.gz", repos = NULL\)'$/,
    ),
    `npm install ${url}/clients/gazette-client-0.2.0.tgz`,
  ])
  const file = await fetch(`${url}/clients/gazette_0.2.0.tar.gz`)
  expect(await file.text()).toBe(await readFile(join(directory, 'gazette_0.2.0.tar.gz'), 'utf8'))
})

test('a browser gets a page with the same lines, the first lines of each client, and where a token comes from', async () => {
  const headers = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  const answer = await fetch(`${url}/clients/`, { headers })
  const html = await answer.text()
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect([answer.headers.get('vary'), answer.headers.get('cache-control')]).toEqual(['Accept', 'no-store'])
  expect(html).toContain(`npm install ${url}/clients/gazette-client-0.2.0.tgz`)
  expect(html).toContain(`gazette = Gazette(&quot;${url}&quot;, &quot;THE-TOKEN&quot;)`)
  expect(html).toContain(`gz_server(&quot;${url}&quot;, &quot;THE-TOKEN&quot;)`)
  expect(html).toContain(`openGazette({ url: '${url}', token: 'THE-TOKEN' })`)
  expect(html).toContain('<code>gazette token create</code>')
})

test('pip installs the client for Python by that line', async (context) => {
  if (!canRun(PYTHON, '-m', 'pip', '--version')) context.skip('skipped: pip is not installed here')
  const [line] = (await (await fetch(`${url}/clients/`)).text()).split('\n')
  const [, address] = /^pip install (\S+\.whl)$/.exec(line)!
  const target = join(directory, 'installed')
  const args = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', target, address]
  expect(await new Promise((resolve) => spawn(PYTHON, args).once('close', resolve))).toBe(0)
  const code = 'import gazette_client; print(gazette_client.__version__)'
  const env = { ...process.env, PYTHONPATH: target }
  expect(spawnSync(PYTHON, ['-c', code], { env, encoding: 'utf8' }).stdout).toBe(`${service.parts.version}\n`)
})

test('nothing else lies there, and nothing can be changed', async () => {
  for (const path of ['nothing.whl', '..%2f..%2fpackage.json', '%2e%2e/docs'])
    expect((await fetch(`${url}/clients/${path}`)).status, path).toBe(404)
  expect((await fetch(`${url}/clients/gazette_0.2.0.tar.gz`, { method: 'DELETE' })).status).toBe(405)
})

test('a server answers there without a token', async () => {
  expect((await fetch(`${service.url}/clients/`)).status).toBe(200)
  expect((await fetch(`${service.url}/clients/nothing.whl`)).status).toBe(404)
})
