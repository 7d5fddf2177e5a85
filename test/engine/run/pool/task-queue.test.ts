import { queueOptionsSymbol } from 'piscina'
import { expect, test } from 'vitest'
import { createTaskQueue, URGENT } from '../../../../engine/run/pool/task-queue.ts'

const urgent = (name: string) => ({ name, ...URGENT }) as never
const other = (name: string) => ({ name, [queueOptionsSymbol]: null }) as never
type Named = { name: string } | null

function drained(queue: ReturnType<typeof createTaskQueue>): string[] {
  const names: string[] = []
  for (let task = queue.shift(); task !== null; task = queue.shift()) names.push((task as unknown as Named)!.name)
  return names
}

test('urgent tasks go first, and both kinds as they came', () => {
  const queue = createTaskQueue()
  for (const task of [other('a'), urgent('b'), other('c'), urgent('d')]) queue.push(task)
  expect(queue.size).toBe(4)
  expect(drained(queue)).toEqual(['b', 'd', 'a', 'c'])
  expect(queue.size).toBe(0)
  expect(queue.shift()).toBeNull()
})

test('a task that waits is passed fifty times, not for ever', () => {
  const queue = createTaskQueue()
  queue.push(other('waits'))
  queue.push(other('waits too'))
  for (let i = 0; i < 120; i++) queue.push(urgent('urgent'))
  const names = drained(queue)
  expect(names.indexOf('waits')).toBe(50)
  expect(names.indexOf('waits too')).toBe(101)
  expect(names).toHaveLength(122)
})

test('a task that is put back is the next of its kind, and one that is removed does not come', () => {
  const queue = createTaskQueue()
  const [a, b, c] = [other('a'), other('b'), urgent('c')]
  for (const task of [a, b, c]) queue.push(task)
  queue.unshift!(queue.shift()!)
  expect(queue.size).toBe(3)
  queue.remove(c)
  queue.remove(a)
  queue.remove(a)
  expect(drained(queue)).toEqual(['b'])
})
