import type { FixationsByAoi } from '../../compute/aoi-grid.ts'
import type { Fixations } from '../../compute/fixation-list.ts'
import { type ColumnsOf, sized } from '../../model/struct.ts'

/**
 * The tests of a shard as records of numbers, one after another in bytes: a large study has hundreds of thousands of
 * tests, which would take several times the memory as objects. A record has the index of its participant, the number
 * of its item in `items`, the number of its fixations and their µs, and the numbers and µs of each AOI with a fixation.
 */
export type Records = { bytes: Uint8Array; length: number; items: string[] }

const HEAD_BYTES = 4 + 4 + 4 + 6 + 4
const AOI_BYTES = 3 * 4 + 3 * 6
const GROWTH = 1.25

export function noRecords(): Records {
  return { bytes: new Uint8Array(HEAD_BYTES), length: 0, items: [] }
}

/** Adds a test. @param person index of its participant @param item its id @param of by AOI of the item */
export function addRecord(
  records: Records,
  { person, item, fixations, of }: { person: number; item: string; fixations: Fixations; of: FixationsByAoi },
): void {
  const seen = Array.from(of.count.keys()).filter((a) => of.count[a] > 0)
  let fixationUs = 0
  for (let f = 0; f < fixations.n; f++) fixationUs += fixations.endUs[f] - fixations.startUs[f]
  const known = records.items.indexOf(item)
  const itemNumber = known < 0 ? records.items.push(item) - 1 : known
  let at = records.length
  records.length += HEAD_BYTES + seen.length * AOI_BYTES
  if (records.length > records.bytes.length) {
    const larger = new Uint8Array(Math.ceil(GROWTH * records.length))
    larger.set(records.bytes)
    records.bytes = larger
  }
  const bytes = bufferOf(records)
  at = bytes.writeUInt32LE(person, at)
  at = bytes.writeUInt32LE(itemNumber, at)
  at = bytes.writeUInt32LE(fixations.n, at)
  at = bytes.writeIntLE(fixationUs, at, 6)
  at = bytes.writeUInt32LE(seen.length, at)
  for (const a of seen) {
    for (const whole of [a, of.count[a], of.revisits[a]]) at = bytes.writeUInt32LE(whole, at)
    for (const us of [of.firstStartUs[a], of.firstDurationUs[a], of.totalUs[a]]) at = bytes.writeIntLE(us, at, 6)
  }
}

/** Lists the positions of the records, each with its participant. */
export function* recordsIn(records: Records): Generator<{ person: number; at: number }> {
  const bytes = bufferOf(records)
  for (let at = 0; at < records.length; at += HEAD_BYTES + bytes.readUInt32LE(at + HEAD_BYTES - 4) * AOI_BYTES)
    yield { person: bytes.readUInt32LE(at), at }
}

/** Sums over tests, whole µs and counts: one value for each AOI of the item, in the order of study.json. */
const OF_AOIS = {
  /** Tests with a fixation in the AOI; the next three are sums over these. */
  seenTests: Float64Array,
  ttffUs: Float64Array,
  firstDurationUs: Float64Array,
  revisits: Float64Array,
  count: Float64Array,
  totalUs: Float64Array,
}
/** Sums over the tests of a participant on an item. */
export type ItemSums = { tests: number; fixationCount: number; fixationUs: number } & ColumnsOf<typeof OF_AOIS>

/**
 * Adds the record at a position to the sums of its item.
 *
 * @param sums of its participant, by item id
 * @param countAois returns the number of AOIs of an item
 */
export function addToSums(
  sums: Map<string, ItemSums>,
  records: Records,
  recordAt: number,
  countAois: (item: string) => number,
): void {
  const bytes = bufferOf(records)
  let at = recordAt + 4
  const whole = () => {
    at += 4
    return bytes.readUInt32LE(at - 4)
  }
  const us = () => {
    at += 6
    return bytes.readIntLE(at - 6, 6)
  }
  const item = records.items[whole()]
  const own = sums.get(item) ?? { tests: 0, fixationCount: 0, fixationUs: 0, ...sized(OF_AOIS, countAois(item)) }
  sums.set(item, own)
  own.tests++
  own.fixationCount += whole()
  own.fixationUs += us()
  for (let seen = whole(); seen > 0; seen--) {
    const a = whole()
    own.seenTests[a]++
    own.count[a] += whole()
    own.revisits[a] += whole()
    own.ttffUs[a] += us()
    own.firstDurationUs[a] += us()
    own.totalUs[a] += us()
  }
}

function bufferOf({ bytes }: Records): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
