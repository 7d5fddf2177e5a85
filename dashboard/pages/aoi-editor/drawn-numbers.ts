import { useLayoutEffect, useState } from 'preact/hooks'
import { type Aoi, type AoisData, type Problem, problemFrom, sendJson } from '../../core/api.ts'
import { lastWanted } from '../../core/last-wanted.ts'

/** Numbers of the drawn AOIs: cells of the export, computed by the same code. */
export type DrawnNumbers = {
  data: AoisData | null
  /** True if `data` belongs to the current AOIs. */
  isFresh: boolean
  problem: Problem | null
}

/** Requests the numbers of AOIs whenever they change; requests are coalesced to the latest drawing. */
export function useDrawnNumbers(path: string, aois: Aoi[]): DrawnNumbers {
  const [answer, setAnswer] = useState<{ of: Aoi[] | null } & Omit<DrawnNumbers, 'isFresh'>>({
    of: null,
    data: null,
    problem: null,
  })
  const [asking] = useState(() =>
    lastWanted(async ({ path: address, aois: of }: { path: string; aois: Aoi[] }, signal) => {
      const { data, problem } = await askOnce(address, of, signal)
      if (!signal.aborted) setAnswer((before) => ({ of, data: data ?? before.data, problem }))
    }),
  )
  useLayoutEffect(() => asking.drop, [])
  useLayoutEffect(() => asking.want({ path, aois }), [path, aois])
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
    return { data: null, problem: problemFrom(error) }
  }
}
