// Builds engine/compute/median.wat into engine/compute/median-wasm.ts: run by hand after a change of the former. A test
// builds it again and compares, so that what is committed is what the source says.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import wabt from 'wabt'

const source = new URL('../engine/compute/median.wat', import.meta.url)
const target = new URL('../engine/compute/median-wasm.ts', import.meta.url)

/** The module's bytes. */
export async function buildMedian() {
  const { parseWat } = await wabt()
  const module = parseWat('median.wat', readFileSync(source, 'utf8'), { simd: true, bulk_memory: true })
  module.validate()
  return module.toBinary({}).buffer
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const base64 = Buffer.from(await buildMedian()).toString('base64')
  const lines = base64.match(/.{1,110}/g).map((line) => `  '${line}',`)
  writeFileSync(
    target,
    `/** median.wat as bytes in base64, built by scripts/build-wasm.mjs. */\nexport const MEDIAN_WASM = [\n${lines.join('\n')}\n].join('')\n`,
  )
}
