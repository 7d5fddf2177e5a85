import { useEffect, useRef, useState } from 'preact/hooks'
import { type Aoi, type AoisData, asProblem, type Problem, sendJson } from '../api.ts'

/** The numbers of AOIs as they are drawn: cells of the export, by the functions that make it. */
export type DrawnNumbers = {
  data: AoisData | null
  /** Whether `data` is of the AOIs as they are now. */
  isFresh: boolean
  problem: Problem | null
  /** From the last change until its numbers were drawn. */
  drawnMs: number | null
}

type Wanted = { path: string; aois: Aoi[]; changedAt: number }

/** Asks for the numbers of AOIs whenever they change: one request at a time, always for what was drawn last. */
export function useDrawnNumbers(path: string, aois: Aoi[]): DrawnNumbers {
  const [answer, setAnswer] = useState<{ of: Aoi[] | null } & Omit<DrawnNumbers, 'isFresh'>>({
    of: null,
    data: null,
    problem: null,
    drawnMs: null,
  })
  const wanted = useRef<Wanted | null>(null)
  const isAsking = useRef(false)
  const isGone = useRef(new AbortController())
  useEffect(() => () => isGone.current.abort(), [])
  useEffect(() => {
    wanted.current = { path, aois, changedAt: performance.now() }
    if (!isAsking.current) void askOnAndOn()
  }, [path, aois])

  async function askOnAndOn(): Promise<void> {
    isAsking.current = true
    while (wanted.current !== null && !isGone.current.signal.aborted) {
      const { path: address, aois: of, changedAt } = wanted.current
      wanted.current = null
      const { data, problem } = await askOnce(address, of, isGone.current.signal)
      setAnswer((before) => ({ ...before, of, data: data ?? before.data, problem }))
      if (data === null) continue
      const drawnMs = await new Promise<number>((resolve) =>
        requestAnimationFrame(() => resolve(Math.round(performance.now() - changedAt))),
      )
      setAnswer((before) => ({ ...before, drawnMs }))
    }
    isAsking.current = false
  }
  const { of, ...shown } = answer
  return { ...shown, isFresh: of === aois && shown.problem === null }
}

async function askOnce(
  path: string,
  aois: Aoi[],
  signal: AbortSignal,
): Promise<{ data: AoisData | null; problem: Problem | null }> {
  try {
    return { data: await sendJson<AoisData>(path, 'POST', aois, {}, signal), problem: null }
  } catch (error) {
    return { data: null, problem: asProblem(error) }
  }
}
