import { queueOptionsSymbol, type TaskQueue } from 'piscina'

type Task = Parameters<TaskQueue['push']>[0]

/** Marks urgent tasks, for which somebody waits: they go before all others. */
export const URGENT = { [queueOptionsSymbol]: { isUrgent: true } }

/** Largest number of urgent tasks that may overtake another task, so that it cannot starve. */
const PASSED_MAX = 50

/** Returns a queue of tasks that wait for a thread: urgent ones first, otherwise first in, first out. */
export function createTaskQueue(): TaskQueue {
  const urgent: Task[] = []
  const others: Task[] = []
  let passed = 0
  const lineOf = (task: Task) => (task[queueOptionsSymbol] ? urgent : others)
  return {
    get size() {
      return urgent.length + others.length
    },
    push: (task) => lineOf(task).push(task),
    unshift: (task) => lineOf(task).unshift(task),
    shift: () => {
      const isUrgent = urgent.length > 0 && (others.length === 0 || passed < PASSED_MAX)
      passed = isUrgent && others.length > 0 ? passed + 1 : 0
      return (isUrgent ? urgent : others).shift() ?? null
    },
    remove: (task) => {
      for (const line of [urgent, others]) {
        const at = line.indexOf(task)
        if (at >= 0) line.splice(at, 1)
      }
    },
  }
}
