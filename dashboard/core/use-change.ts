import { useState } from 'preact/hooks'
import { asProblem, type Problem } from './api.ts'

/**
 * Does one thing at a time, and keeps why it failed.
 *
 * @param onDone what follows success; with it, `isBusy` stays true then, since it takes away what asked
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
      setProblem(asProblem(error))
    }
    setIsBusy(false)
  }
  return { problem, isBusy, act, setProblem }
}
