import { expect, test } from 'vitest'
import { ServiceError } from '../../engine/model/errors.ts'
import { circuitBreaker } from '../../worker/queue/circuit-breaker.ts'
import { toldOf } from '../../worker/queue/pglite-faults.ts'

test("a system's error that PGlite throws as a number is told in a sentence, and any other error as it is", () => {
  const thrown = (errno: number) => Object.assign(Object.create(null), { name: 'ErrnoError', errno })
  expect(toldOf(thrown(51))).toMatchObject({
    code: 'ENOSPC',
    message: 'the embedded queue: there is no space left on the disk',
  })
  expect(toldOf(thrown(69))).toMatchObject({ code: 'EROFS', message: 'the embedded queue: the disk is read-only' })
  expect(toldOf(thrown(7)).message).toBe('the embedded queue: a file of it cannot be used (error 7)')
  const ofSql = Object.assign(new Error('no such table'), { code: '42P01', severity: 'ERROR' })
  expect(toldOf(ofSql)).toEqual({ message: 'no such table', code: '42P01', severity: 'ERROR' })
})

test('a queue whose own disk is full says so, also while it is not asked, and any other fault is that it is away', async () => {
  const probe = () => new Promise<void>(() => {})
  const codes = async (fault: Error) => {
    const ask = circuitBreaker(probe)
    const failing = () => ask.for(() => Promise.reject(fault)).then(String, (error: ServiceError) => error.code)
    const found = [await failing(), await failing()]
    ask.stop()
    return found
  }
  expect(await codes(Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toEqual(['disk_full', 'disk_full'])
  expect(await codes(new Error('could not extend file: No space left on device'))).toEqual(['disk_full', 'disk_full'])
  expect(await codes(new Error('ECONNREFUSED'))).toEqual(['queue_away', 'queue_away'])
  expect(await codes(new ServiceError('queue_away', 'it has ended'))).toEqual(['queue_away', 'queue_away'])
})
