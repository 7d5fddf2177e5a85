import { randomUUID } from 'node:crypto'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chance, pick, type Random, wholeBetween } from '../../demo/random.ts'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { EXPORTS } from '../../engine/exports/registry.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { inlinePool } from '../../engine/run/inline-pool.ts'
import { runExport } from '../../engine/run/run-export.ts'
import { checkSnapshots } from '../../engine/snapshot/check-snapshots.ts'
import { openStudies } from '../../engine/snapshot/snapshots.ts'
import { studyDirectory } from '../../engine/storage/files/layout.ts'
import { compactStudy } from '../../engine/study/compact/compact-study.ts'
import { asLines, participantOf, type Sent } from '../server/participants.ts'
import { openTestServer } from '../server/test-server.ts'
import { claim, damageBytes, type Fuzzer, NASTY, type Round } from './fuzzer.ts'
import { costOf, within } from './growth.ts'

/** Memory limit of one export, whatever was sent. */
const EXPORT_MAX_BYTES = 256 * 2 ** 20
const EXPORT_MS = 60_000
const ITEM = {
  ...{ id: '1a000000-0000-4000-8000-000000000001', filename: 'a.png', cdnUrl: '', type: 'images' },
  ...{ stimuliDurationMs: 1000, widthPx: 1000, heightPx: 800 },
}
const TEXTS = ['external_id', 'display_name', 'display_gender', 'notes', 'external_data']
const REFUSED = [400, 409, 413, 415, 422]

/**
 * Participants sent to a study, packed or not, some of them damaged or with texts that packing makes small: refused, or
 * the study has as many as were taken, its tables are put together once it is quiet, and exports of it fit the memory.
 */
export const LIVE: Fuzzer = {
  name: 'live writes',
  open: async () => {
    const service = await openTestServer({ REQUESTS_PER_MINUTE: '100000000', PARTICIPANTS_PER_TOKEN: '100000000' })
    const { dataDir } = service
    const headers = { 'x-auth-token': service.write, 'content-type': 'application/json' }
    const request = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${service.url}/api2/studies${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
      })
      claim(answer.ok, `${answer.status} for a study: ${await answer.text()}`)
    }
    const round: Round = async (random, tell) => {
      const studyId = randomUUID()
      await request('POST', '', {
        id: studyId,
        name: 'Live',
        isServiceBasicSurveyEnabled: false,
        steps: [],
        items: [ITEM],
        aois: [],
      })
      try {
        await grow(random, tell, studyId)
      } finally {
        await request('DELETE', `/${studyId}`)
      }
    }
    const grow = async (random: Random, tell: (input: string) => void, studyId: string) => {
      const sums = { participants: 0, tests: 0, samples: 0 }
      const words: string[] = []
      for (let n = wholeBetween(random, 1, 6); n > 0; n--) {
        const { body, type, isPacked, word } = bodyOf(random, ITEM.id)
        words.push(`${word}, ${body.length} bytes`)
        tell(words.join('; '))
        const answer = await fetch(`${service.url}/api2/studies/${studyId}/participants`, {
          method: 'POST',
          headers: { ...headers, 'content-type': type, ...(isPacked && { 'content-encoding': 'gzip' }) },
          body: new Uint8Array(body),
        })
        const text = await answer.text()
        if (answer.status !== 201) {
          claim(REFUSED.includes(answer.status), `${answer.status} for a participant: ${text.slice(0, 600)}`)
          continue
        }
        const { testCount, sampleCount } = JSON.parse(text)
        sums.participants++
        sums.tests += testCount
        sums.samples += sampleCount
      }
      const longAgo = new Date(Date.now() - 60_000)
      await utimes(join(studyDirectory(dataDir, studyId)!, 'current'), longAgo, longAgo)
      const signal = new AbortController().signal
      await compactStudy({ dataDir, studyId: studyId, threads: 1, memoryMib: 256, now: new Date(), signal })
      const snapshot = (await openStudies(dataDir).current(studyId))!
      const { layers, counts } = snapshot.manifest
      claim((layers?.length ?? 0) === 0, `${layers?.length} layers are left of a study that is quiet`)
      const { participants, tests, samples } = counts
      const kept = JSON.stringify({ participants, tests, samples })
      claim(kept === JSON.stringify(sums), `${kept} are in the study, where ${JSON.stringify(sums)} were taken`)
      const { name } = pick(random, EXPORTS)
      const plan = makePlan({ snapshot, exportName: name, parameters: defaultParameters(), formulaGuard: true })
      const { bytes } = await costOf(async () => {
        const run = runExport({ plan, snapshot, pool: inlinePool(), signal, gzip: false })
        await within(EXPORT_MS, name, read(run))
      })
      claim(bytes < EXPORT_MAX_BYTES, `${name} takes ${bytes >> 20} MiB of memory`)
      const told: string[] = []
      await checkSnapshots(dataDir, (sentence) => told.push(sentence))
      claim(told.length === 0, told.join())
    }
    return { round, close: service.close }
  },
}

/** Reads a run to its end, and keeps nothing. */
async function read(run: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of run);
}

/** Returns a body of a participant: whole, with another value somewhere, with long texts, or damaged. */
function bodyOf(random: Random, itemId: string) {
  const n = wholeBetween(random, 0, 1e6)
  const tests = Array<string>(wholeBetween(random, 0, 3)).fill(itemId)
  const sent: Sent = participantOf(n, tests, wholeBetween(random, 0, 60))
  const kind = pick(random, ['whole', 'a value', 'long texts', 'long texts', 'damaged'])
  let word = `${tests.length} tests of ${sent.tests[0]?.samples.t_ms.length ?? 0} samples, ${kind}`
  if (kind === 'a value') {
    const value = pick(random, [...NASTY, 5, -1e308, null, true, [], {}])
    const place: Record<string, unknown> = chance(random, 0.5) ? sent.participant : (sent.tests[0] ?? sent.participant)
    const field = pick(random, [...Object.keys(place), ...TEXTS])
    place[field] = value
    word += ` (${field} is ${JSON.stringify(value)?.slice(0, 60)})`
  }
  if (kind === 'long texts') {
    const length = 2 ** pick(random, [8, 12, 16, 20, 22, 23])
    const fields = TEXTS.filter(() => chance(random, 0.5))
    for (const field of fields) {
      const text = pick(random, ['x', 'é', '"', '=']).repeat(length)
      sent.participant[field] = field === 'external_data' ? { fact: text } : text
    }
    word += ` (${length} characters in each of ${fields.join() || 'none'})`
  }
  const isLines = kind !== 'a value' && chance(random, 0.3)
  const plain = Buffer.from(isLines ? asLines(sent) : JSON.stringify(sent))
  const isPacked = kind === 'long texts' || chance(random, 0.5)
  const packed = isPacked
    ? gzipSync(kind === 'damaged' && chance(random, 0.5) ? damageBytes(random, plain) : plain)
    : plain
  const body = kind === 'damaged' ? damageBytes(random, packed) : packed
  return { body, type: isLines ? 'application/x-ndjson' : 'application/json', isPacked, word }
}
