import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { chance, pick, type Random } from '../../demo/random.ts'
import { importBundle } from '../../engine/import/import-bundle.ts'
import { convertFiles } from '../../engine/recordings/convert/convert-recordings.ts'
import { claim, damageBytes, damageTable, type Fuzzer, refusalOf } from './fuzzer.ts'

const FIXTURES = fileURLToPath(new URL('../engine/recordings/fixtures/', import.meta.url))

/** Damaged recordings of every format: refused, or converted to a bundle that an import takes, with as many samples. */
export const READERS: Fuzzer = {
  name: 'readers',
  open: async () => {
    const root = mkdtempSync(join(tmpdir(), 'gazette-fuzz-'))
    const formats = readdirSync(FIXTURES).sort()
    let rounds = 0
    const round = async (random: Random) => {
      const place = join(root, String(rounds++))
      damageFiles(random, join(FIXTURES, pick(random, formats)), join(place, 'files'))
      const directory = join(place, 'bundle')
      const options = { screen: { widthPx: 1000, heightPx: 800 }, hasAois: true }
      await refusalOf(async () => {
        const { counts } = await convertFiles({ paths: [join(place, 'files')], directory, options, memoryMib: 128 })
        const limits = { threads: 1, memoryMib: 128, append: false, dryRun: true, now: new Date(0) }
        // What was converted must be a bundle: its refusal is a bug, not the stranger's fault.
        const imported = await importBundle({ dataDir: join(place, 'data'), directory, ...limits }).catch((error) => {
          throw new Error(`converted, but not a bundle: ${error.message} ${JSON.stringify(error.problems?.[0])}`)
        })
        claim(imported.counts.samples === counts.samples, `${counts.samples} samples became ${imported.counts.samples}`)
      })
      rmSync(place, { recursive: true })
    }
    return { round, close: async () => rmSync(root, { recursive: true, force: true }) }
  },
}

/** Copies a folder, each file of it damaged with some chance, and one in any case. */
function damageFiles(random: Random, from: string, to: string): void {
  const names = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(from.length + 1))
    .sort()
  const damaged = pick(random, names)
  for (const name of names) {
    const bytes = readFileSync(join(from, name))
    const now = name === damaged || chance(random, 0.2) ? damageFile(random, name, bytes) : bytes
    const isPacked = /\.(csv|tsv|asc|json|txt)$/.test(name) && chance(random, 0.1)
    mkdirSync(dirname(join(to, name)), { recursive: true })
    writeFileSync(join(to, isPacked ? `${name}.gz` : name), isPacked ? gzipSync(now) : now)
  }
}

function damageFile(random: Random, name: string, bytes: Buffer): Buffer {
  if (name.endsWith('.gz') || chance(random, 0.4)) return damageBytes(random, bytes)
  const text = bytes.toString()
  return Buffer.from(damageTable(random, text, pick(random, [',', '\t', text.includes('\t') ? '\t' : ',', ':'])))
}
