import { useEffect, useState } from 'preact/hooks'
import { getJson, type StudySummary } from './api.ts'
import { type Loaded, useData } from './use-data.ts'

type Page = { studies: StudySummary[]; nextCursor: string | null }

/** Loads all studies that the token may read: shows the first page at once, then adds the others. */
export function useStudies(): Loaded<StudySummary[]> {
  const first = useData<Page>('/api2/studies')
  const [more, setMore] = useState<StudySummary[]>([])
  useEffect(() => {
    const load = async (cursor: string | null, before: StudySummary[]): Promise<void> => {
      if (cursor === null) return
      const page = await getJson<Page>(`/api2/studies?cursor=${encodeURIComponent(cursor)}`)
      const all = [...before, ...page.studies]
      setMore(all)
      await load(page.nextCursor, all)
    }
    if (first.data !== null) void load(first.data.nextCursor, []).catch(() => {})
  }, [first.data])
  return { ...first, data: first.data && [...first.data.studies, ...more] }
}
