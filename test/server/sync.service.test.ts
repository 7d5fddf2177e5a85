import { expect, test } from 'vitest'
import { makePlan } from '../../engine/exports/make-plan.ts'
import { defaultParameters } from '../../engine/model/parameters.ts'
import { openSyncLine } from '../../server/exports/sync.ts'
import { kept } from '../engine/kept.ts'
import { STUDY, shareTestServer, until } from './test-server.ts'

const service = kept(await shareTestServer())
const snapshot = (await service.parts.studies.current(STUDY))!

const MIB = 2 ** 20
const open = (concurrency: number, maxBytes = MIB) =>
  openSyncLine({ concurrency, maxBytes, maxSamples: 1000, pool: service.parts.pool })

function request(
  movingMedianRangeMs: number,
  { gzip = false, owner = 'anna', signal = new AbortController().signal } = {},
) {
  const parameters = { ...defaultParameters(), movingMedianRangeMs }
  const plan = makePlan({ snapshot, exportName: 'fixations', parameters, formulaGuard: true })
  return { plan, snapshot, gzip, owner, signal }
}

test('equal plans at the same moment share one computation, also those that want no gzip version', async () => {
  const line = open(2)
  const answers = await Promise.all([
    line.compute(request(200, { gzip: true })),
    line.compute(request(200, { gzip: true })),
    line.compute(request(200)),
  ])
  expect(new Set(answers.map(({ value }) => value)).size).toBe(1)
  expect(line.heldBytes()).toBeGreaterThan(0)
  for (const { release } of answers) release()
  for (const { release } of answers) release()
  expect([line.heldBytes(), line.running(), line.waiting()]).toEqual([0, 0, 0])
})

test('a small answer is kept for equal plans to come, its gzip version too, and takes room only while it is sent', async () => {
  const line = open(1)
  const first = await line.compute(request(200, { gzip: true }))
  first.release()
  const held = line.heldBytes()
  const again = await Promise.all([line.compute(request(200)), line.compute(request(200, { gzip: true }))])
  expect(again.map(({ value }) => value === first.value)).toEqual([true, true])
  const { csv, gzip } = first.value
  expect([held, line.heldBytes()]).toEqual([0, csv.bytes + gzip!.bytes])
  for (const { release } of again) release()
  expect(line.heldBytes()).toBe(0)
  const other = await line.compute(request(201))
  expect(other.value).not.toBe(first.value)
})

test('an answer without a gzip version is not given to one who wants it', async () => {
  const line = open(1)
  const plain = await line.compute(request(200))
  expect(plain.value.gzip).toBeNull()
  const gzipped = await line.compute(request(200, { gzip: true }))
  expect(gzipped.value.gzip?.bytes).toBeGreaterThan(0)
  expect(gzipped.value.csv.sha256.equals(plain.value.csv.sha256)).toBe(true)
})

test('one who leaves stops nothing that another waits for', async () => {
  const line = open(1)
  const leaver = new AbortController()
  const leaving = line.compute(request(200, { signal: leaver.signal }))
  const staying = line.compute(request(200))
  leaver.abort()
  await expect(leaving).rejects.toMatchObject({ code: 'canceled' })
  const { value: answer, release } = await staying
  expect(answer.csv.bytes).toBeGreaterThan(0)
  release()
})

test('work without a waiting client is cancelled, and an identical request starts again', async () => {
  const line = open(1)
  const leaver = new AbortController()
  const leaving = line.compute(request(200, { signal: leaver.signal }))
  leaver.abort()
  await expect(leaving).rejects.toMatchObject({ code: 'canceled' })
  const { value: answer } = await line.compute(request(200))
  expect(answer.csv.bytes).toBeGreaterThan(0)
  await until(async () => line.running() === 0)
})

test('the line is eight times as long as there are places; beyond it is overloaded', async () => {
  const line = open(1)
  const taken = Array.from({ length: 9 }, (_, i) => line.compute(request(100 + i)))
  await expect(line.compute(request(300))).rejects.toMatchObject({ code: 'overloaded' })
  expect(line.waiting()).toBe(8)
  for (const { release } of await Promise.all(taken)) release()
  expect([line.running(), line.waiting(), line.heldBytes()]).toEqual([0, 0, 0])
})

test('one who leaves the line makes room in it', async () => {
  const line = open(1)
  const leaver = new AbortController()
  const first = line.compute(request(100))
  const leaving = line.compute(request(101, { signal: leaver.signal }))
  leaver.abort()
  await expect(leaving).rejects.toMatchObject({ code: 'canceled' })
  expect(line.waiting()).toBe(0)
  expect((await first).value.csv.bytes).toBeGreaterThan(0)
})

test('an answer that outgrows the limit is given up, and leaves nothing', async () => {
  const line = open(1, 100)
  await expect(line.compute(request(200))).rejects.toMatchObject({ code: 'too_large' })
  await until(async () => line.running() === 0)
  expect(line.heldBytes()).toBe(0)
})

test('answers that are not taken leave no room for more', async () => {
  const line = open(1, 30_000)
  expect(line.isSmall({ samples: 1, bytes: 30_000 })).toBe(true)
  const answers = []
  while (line.isSmall({ samples: 1, bytes: 30_000 })) answers.push(await line.compute(request(20 + answers.length)))
  expect(line.heldBytes()).toBeGreaterThan(7 * 30_000)
  for (const { release } of answers) release()
  expect(line.isSmall({ samples: 1, bytes: 30_000 })).toBe(true)
  expect(line.isSmall({ samples: 1001, bytes: 1 })).toBe(false)
  expect(line.isSmall({ samples: 1, bytes: 30_001 })).toBe(false)
})
