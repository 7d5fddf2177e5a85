import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, 'dist/release')
const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: root, encoding: 'utf8' })

test('a dry run makes all that a release has, with its digests and a bill of materials, and tags nothing', () => {
  const tags = run('git', 'tag').stdout
  const { status, stdout, stderr } = run(process.execPath, 'scripts/release.mjs', '--dry-run')
  expect([status, stdout], stderr).toEqual([0, expect.stringContaining('Dry run: nothing was tagged.')])
  expect(run('git', 'tag').stdout).toBe(tags)
  // Every version that is told elsewhere is this one.
  expect(stderr).not.toMatch(/(CITATION|clients)\S* says/)

  const { name, version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const files = readdirSync(out).filter((file) => file !== 'SHA256SUMS')
  expect(files).toEqual(
    expect.arrayContaining([`${name}-${version}.tgz`, `${name}-client-${version}.tgz`, 'THIRD-PARTY-LICENSES.txt']),
  )
  const digests = files.sort().map((file) => {
    const sha256 = createHash('sha256').update(readFileSync(join(out, file)))
    return `${sha256.digest('hex')}  ${file}\n`
  })
  expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8')).toBe(digests.join(''))

  const bill = JSON.parse(readFileSync(join(out, `${name}-${version}.cdx.json`), 'utf8'))
  expect([bill.bomFormat, bill.metadata.component.name]).toEqual(['CycloneDX', 'gazette'])
  const purls: string[] = bill.components.map(({ purl }: { purl: string }) => purl)
  for (const needed of Object.keys(dependencies))
    expect(
      purls.some((purl) => purl.startsWith(`pkg:npm/${needed.replace('@', '%40')}@`)),
      needed,
    ).toBe(true)
  // What only packages for developing need is not in it; what both need is.
  expect(purls.filter((purl) => /vitest|playwright|typescript/.test(purl))).toEqual([])
  for (const needed of ['commander', 'http-errors']) expect(purls.join(' ')).toContain(`pkg:npm/${needed}@`)
})
