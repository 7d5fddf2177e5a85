import { useState } from 'preact/hooks'
import { asProblem, type Problem } from '../../core/api.ts'

/** Does one thing at a time, and keeps why it failed. */
export function useChange(onDone: () => void) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const act = async (work: () => Promise<unknown>) => {
    setIsBusy(true)
    setProblem(null)
    try {
      await work()
      onDone()
    } catch (error) {
      setProblem(asProblem(error))
      setIsBusy(false)
    }
  }
  return { problem, isBusy, act }
}
