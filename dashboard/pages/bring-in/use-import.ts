import { useEffect, useState } from 'preact/hooks'
import { type Import, type Problem, problemFrom, request, sendJson } from '../../core/api.ts'
import { useData } from '../../core/use-data.ts'
import type { AskedImport, Choices } from './choices/choices.ts'

const OFTEN_MS = 500

/** Import in progress; `view` is null until the server has answered. */
export type Followed = { view: Import | null; problem: Problem | null; stop: () => void }

/** Polls an import until it ends. @param id null for none */
export function useImport(id: string | null): Followed {
  const [ended, setEnded] = useState<string | null>(null)
  const [refused, setRefused] = useState<Problem | null>(null)
  const path = id === null || ended === id ? null : `/api2/imports/${id}`
  const { data, problem } = useData<Import>(path, OFTEN_MS, id ?? '')
  const view = data?.id === id ? data : null
  useEffect(() => {
    if (view !== null && view.finishedAt !== null) setEnded(view.id)
  }, [view])
  const stop = () => {
    setRefused(null)
    request(`/api2/imports/${id}`, { method: 'DELETE' }).catch((error: unknown) => setRefused(problemFrom(error)))
  }
  return { view, problem: refused ?? problem, stop }
}

/** Requests an import of uploads, or its check. */
export function askImport(
  uploads: string[],
  body: AskedImport,
  { into, replaces }: Pick<Choices, 'into' | 'replaces'>,
  dryRun: boolean,
): Promise<Import> {
  const path = into === null ? '/api2/imports' : `/api2/studies/${into}/imports`
  const headers: Record<string, string> = into === null || replaces === null ? {} : { 'If-Match': `"${replaces}"` }
  return sendJson<Import>(path, 'POST', { ...body, uploads, ...(dryRun ? { dryRun } : {}) }, headers)
}
