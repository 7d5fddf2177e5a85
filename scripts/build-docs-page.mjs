// Copies what the page /docs loads of Swagger UI into dist, so that whoever installs Gazette installs three files of
// it, not the whole package and what that reports to its makers.
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const to = fileURLToPath(new URL('../dist/server/openapi/swagger-ui', import.meta.url))
rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'package.json', 'LICENSE', 'NOTICE'])
  cpSync(join(from, name), join(to, name))
