// Builds each .wat of the engine into the TypeScript beside it that holds its bytes: run by hand after a change of the
// former. Tests build them again and compare, so that what is committed is what the source says.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import wabt from 'wabt'

/** By the names of the sources, below engine/. */
const KERNELS = {
  'compute/median': 'MEDIAN_WASM',
  'formats/snappy': 'SNAPPY_WASM',
  'text/deflate-rows': 'DEFLATE_ROWS_WASM',
  'text/rows': 'ROWS_WASM',
}

/** A kernel's bytes in base64. */
export async function buildKernel(name) {
  const { parseWat } = await wabt()
  const source = readFileSync(new URL(`../engine/${name}.wat`, import.meta.url), 'utf8')
  const module = parseWat(`${basename(name)}.wat`, source, { simd: true, bulk_memory: true })
  module.validate()
  return Buffer.from(module.toBinary({}).buffer).toString('base64')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, constant] of Object.entries(KERNELS)) {
    const lines = (await buildKernel(name)).match(/.{1,110}/g).map((line) => `  '${line}',`)
    const about = `/** ${basename(name)}.wat as bytes in base64, built by scripts/build-wasm.mjs. */`
    const target = new URL(`../engine/${name}-wasm.ts`, import.meta.url)
    writeFileSync(target, `${about}\nexport const ${constant} = [\n${lines.join('\n')}\n].join('')\n`)
  }
}
