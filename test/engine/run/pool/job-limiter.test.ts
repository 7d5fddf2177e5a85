import { describe, expect, test } from 'vitest'
import { openJobLimiter } from '../../../../engine/run/pool/job-limiter.ts'

/** Works that end when they are told to; `begun` says which have been let in, in order. */
function works(threads: number) {
  const gate = openJobLimiter(threads)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const pass = (n: number) =>
    gate.pass(async () => {
      begun.push(n)
      await new Promise<void>((resolve) => {
        ends[n] = resolve
      })
      return n
    })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { gate, begun, pass, end: (n: number) => ends[n](), settled }
}

describe('shards of jobs', () => {
  test('have all threads, in the order that they come, while nobody else asks', async () => {
    const { gate, begun, pass, end, settled } = works(2)
    const passed = [0, 1, 2, 3].map(pass)
    await settled()
    expect(begun).toEqual([0, 1])
    expect(gate.waiting()).toBe(2)
    end(1)
    expect(await passed[1]).toBe(1)
    await settled()
    expect(begun).toEqual([0, 1, 2])
    for (const n of [0, 2]) end(n)
    await settled()
    end(3)
    expect(await Promise.all(passed)).toEqual([0, 1, 2, 3])
    expect(gate.waiting()).toBe(0)
  })

  test('leave one thread while small exports are asked for, and take it again by themselves', async () => {
    const { gate, begun, pass, end, settled } = works(3)
    gate.prioritizeSmall()
    const passed = [0, 1, 2, 3].map(pass)
    await settled()
    expect(begun).toEqual([0, 1])
    while (begun.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(begun).toEqual([0, 1, 2])
    gate.prioritizeSmall()
    end(0)
    await settled()
    expect(begun).toEqual([0, 1, 2])
    end(1)
    await settled()
    expect(begun).toEqual([0, 1, 2, 3])
    for (const n of [2, 3]) end(n)
    await Promise.all(passed)
  })

  test('keep the only thread that there is', async () => {
    const { gate, begun, pass, end, settled } = works(1)
    gate.prioritizeSmall()
    const passed = [0, 1].map(pass)
    await settled()
    expect(begun).toEqual([0])
    end(0)
    await settled()
    expect(begun).toEqual([0, 1])
    end(1)
    await Promise.all(passed)
  })

  test('give way between their blocks, for a turn, or for a while', async () => {
    const gate = openJobLimiter(2)
    const events: string[] = []
    const meanwhile = () => setImmediate(() => setImmediate(() => events.push('others')))
    meanwhile()
    await gate.giveWay().then(() => events.push('block'))
    gate.prioritizeSmall()
    await gate.giveWay().then(() => events.push('block'))
    expect(events).toEqual(['block', 'others', 'block'])
  })

  test('that fail leave their places', async () => {
    const gate = openJobLimiter(1)
    const failing = () => gate.pass(() => Promise.reject(new Error('broken')))
    await expect(failing()).rejects.toThrow('broken')
    await expect(failing()).rejects.toThrow('broken')
    expect(await gate.pass(async () => 'next')).toBe('next')
  })
})
