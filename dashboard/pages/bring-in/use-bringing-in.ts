import { useEffect, useState } from 'preact/hooks'
import { useStudies } from '../../core/all-studies.ts'
import { mayMake, type Session } from '../../core/api.ts'
import { usePlace } from '../../core/router.ts'
import { hasDropped } from '../../ui/drop-target.tsx'
import { type Choices, NO_CHOICES, readImportChoices } from './choices/choices.ts'
import { rememberChoices } from './choices/remembered.ts'
import type { SentFile } from './files/use-sending.ts'
import type { ImportCheck } from './use-check.ts'
import { askImport } from './use-import.ts'

/** Files of an import, its choices, and how far it has come. */
type BringingIn = {
  files: SentFile[]
  notes: string[]
  choices: Choices
  check: ImportCheck | null
  importId: string | null
}

const STORED = 'gazette-bring-in'

function stored(): BringingIn | null {
  return JSON.parse(sessionStorage.getItem(STORED) ?? 'null') as BringingIn | null
}

let isFirst = true

/** Returns whether the document was loaded on this page, as by a reload, without navigation since. */
function isLoadedHere(): boolean {
  const [loaded] = performance.getEntriesByType('navigation')
  return isFirst && loaded !== undefined && new URL(loaded.name).pathname === location.pathname
}

/** Keeps the state of an import, also over a reload; `anew` begins another one. */
export function useBringingIn(session: Session) {
  const { query } = usePlace()
  const own = mayMake(session) ? null : (session.token?.studies[0] ?? null)
  const into = query.get('study') ?? own
  const studies = useStudies().data ?? []
  // Of the current study.
  const replaces = query.get('replace') === 'yes' ? (studies.find(({ id }) => id === into)?.snapshot ?? null) : null
  const choices = { ...NO_CHOICES, project: session.token?.projects[0] ?? '', into, replaces }
  const nothing: BringingIn = { files: [], notes: [], choices, check: null, importId: null }
  const [at, setAt] = useState<BringingIn>(() => {
    // Dropped files, or a visit from a study's page, start a new import, instead of the last report.
    const isAnew = hasDropped() || (query.has('study') && !isLoadedHere())
    isFirst = false
    const before = isAnew ? null : stored()
    if (before === null || before.importId !== null) return before ?? nothing
    return into === null ? before : { ...before, choices: { ...before.choices, into } }
  })
  useEffect(() => {
    if (replaces !== null && at.files.length === 0 && at.importId === null)
      setAt((before) => ({ ...before, choices: { ...before.choices, into, replaces } }))
  }, [replaces])
  useEffect(() => {
    if (at.files.length === 0 && at.importId === null) sessionStorage.removeItem(STORED)
    else sessionStorage.setItem(STORED, JSON.stringify(at))
  }, [at])
  useEffect(() => rememberChoices(at.files, at.choices), [at.files, at.choices])
  const change = (changes: Partial<BringingIn>) => setAt((before) => ({ ...before, ...changes }))
  const choose = (changes: Partial<Choices>) =>
    setAt((before) => ({ ...before, choices: { ...before.choices, ...changes } }))
  const anew = () => change(nothing)
  const bringIn = async () => {
    const { body } = readImportChoices(at.choices)
    const { id } = await askImport(
      at.files.map((file) => file.id),
      body,
      at.choices,
      false,
    )
    change({ importId: id })
  }
  return { at, change, choose, anew, bringIn }
}
