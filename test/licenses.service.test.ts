import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { licensesText, thirdParties } from '../scripts/build-licenses.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const parties = thirdParties()
const names = parties.map(({ name }) => name)

test('the file of licences names each package that runs, and each that is in the dashboard, and no other', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)))
  // What others need: the engine of DuckDB, the parser of Express, the pieces of a chart.
  expect(names).toEqual(expect.arrayContaining(['@duckdb/node-bindings-linux-x64', 'body-parser', 'd3-color']))
  expect(names).toEqual(
    expect.arrayContaining(['preact', 'd3-scale', 'docx', 'jszip', 'mediabunny', 'pptxgenjs', 'swagger-ui-dist']),
  )
  expect(names.filter((name) => /^(typescript|vite|vitest|@biomejs)/.test(name))).toEqual([])
})

test('licences are those that anybody may ship beside MIT', () => {
  const known = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT']
  // Their files stay under their licences, which are told; none is changed here. That of h5wasm is NIST's notice, with
  // which anybody may copy it, and the BSD licence of the HDF5 library. Of the two licences of jszip, MIT is chosen.
  const others = parties.filter(({ license }) => !known.includes(license))
  expect(others.map(({ name, license }) => [name, license])).toEqual([
    ['h5wasm', 'SEE LICENSE IN LICENSE.txt'],
    ['jszip', '(MIT OR GPL-3.0-or-later)'],
    ['mediabunny', 'MPL-2.0'],
    ['pako', '(MIT AND Zlib)'],
  ])
})

test('each package stands there with its licence, and with the text where it has one', () => {
  const text = licensesText(parties)
  for (const { name, version, license, texts } of parties) {
    expect(text).toContain(`${name} ${version}\n`)
    expect(text).toContain(`Licence: ${license}`)
    for (const own of texts) expect(text).toContain(own)
  }
  const [express] = parties.filter(({ name }) => name === 'express')
  expect(express.texts[0]).toContain('Permission is hereby granted')
})

test('the build has written it', () => {
  const path = join(root, 'dist', 'THIRD-PARTY-LICENSES.txt')
  expect(existsSync(path)).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe(licensesText(parties))
})
