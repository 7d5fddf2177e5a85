// Compares Gazette with the programs that are installed, and writes the table of docs/validation.md:
//
//     npm run validate
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/if-changed.mjs'

const PAGE = join(root, 'docs', 'validation.md')
const TABLE = /(?<=<!-- agreements: made by npm run validate -->\n)[\s\S]*?(?=<!-- end -->)/

const folder = mkdtempSync(join(tmpdir(), 'gazette-validation-'))
try {
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'system', 'against-'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, VALIDATION_DIR: folder },
  })
  if (status !== 0) throw new Error('Something differs: docs/validation.md stays as it was.')
  const lines = readFileSync(join(folder, 'agreements.ndjson'), 'utf8').trim().split('\n')
  const rows = lines.map((line) => JSON.parse(line)).sort((a, b) => (a.what < b.what ? -1 : a.what > b.what ? 1 : 0))
  writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(TABLE, tableOf(rows)))
  console.log(`${rows.length} comparisons are in docs/validation.md.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function tableOf(rows) {
  const day = new Date().toISOString().slice(0, 10)
  return [
    `On ${day}, Node ${process.version}:\n`,
    '| what | data | compared with | numbers | largest difference |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ what, page, data, reference, n, largest }) =>
        `| [${what}](${page}) | ${data} | ${reference} | ${n} | ${largest === 0 ? '0' : largest.toExponential(0)} |`,
    ),
    '',
  ].join('\n')
}
