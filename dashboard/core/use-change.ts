import { useState } from 'preact/hooks'
import { type Problem, problemFrom } from './api.ts'

/**
 * Runs one change at a time and keeps the problem of a failed one.
 *
 * @param onDone called after success; `isBusy` then stays true, since the caller removes the control
 */
export function useChange(onDone?: () => void) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const act = async (work: () => Promise<unknown>) => {
    setIsBusy(true)
    setProblem(null)
    try {
      await work()
      if (onDone !== undefined) return onDone()
    } catch (error) {
      setProblem(problemFrom(error))
    }
    setIsBusy(false)
  }
  return { problem, isBusy, act, setProblem }
}
