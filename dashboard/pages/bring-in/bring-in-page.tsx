import './bring-in.css'
import { useEffect, useState } from 'preact/hooks'
import { useStudies } from '../../core/all-studies.ts'
import { commandLine, mayBringIn, type Session } from '../../core/api.ts'
import { usePlace } from '../../core/router.ts'
import { useTitle } from '../../core/use-title.ts'
import { DropTarget, hasDropped, holdDropped } from '../../ui/drop-target.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { type Check, CheckStep } from './check-step.tsx'
import { type Choices, NO_CHOICES, readChoices } from './choices/choices.ts'
import { FilesStep } from './files/files-step.tsx'
import type { SentFile } from './files/use-sending.ts'
import { ReportStep } from './report-step.tsx'
import { askImport } from './use-import.ts'

/** State of the page. */
type BringingIn = { files: SentFile[]; notes: string[]; choices: Choices; check: Check | null; importId: string | null }

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

/** Draws the page that imports recordings and bundles as studies. */
export function BringInPage({ session }: { session: Session }) {
  const { query } = usePlace()
  const mayMake = session.token?.studies === 'all'
  const own = session.token?.studies === 'all' ? null : (session.token?.studies[0] ?? null)
  const into = query.get('study') ?? (mayMake ? null : own)
  const studies = useStudies().data ?? []
  // Of the current study.
  const replaces = query.get('replace') === 'yes' ? (studies.find(({ id }) => id === into)?.snapshot ?? null) : null
  const choices = { ...NO_CHOICES, into, replaces }
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
  useTitle('Import data')
  useEffect(() => {
    if (at.files.length === 0 && at.importId === null) sessionStorage.removeItem(STORED)
    else sessionStorage.setItem(STORED, JSON.stringify(at))
  }, [at])
  const change = (changes: Partial<BringingIn>) => setAt((before) => ({ ...before, ...changes }))
  const choose = (changes: Partial<Choices>) =>
    setAt((before) => ({ ...before, choices: { ...before.choices, ...changes } }))
  const anew = () => change(nothing)
  const bringIn = async () => {
    const { body } = readChoices(at.choices)
    const { id } = await askImport(
      at.files.map((file) => file.id),
      body,
      at.choices,
      false,
    )
    change({ importId: id })
  }
  if (!mayBringIn(session)) return <MayNot session={session} />
  return (
    <div class="bring-in stack">
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href="/">Studies</a>
      </nav>
      <h1>Import data</h1>
      {(at.importId !== null || at.files.length > 0) && (
        <DropTarget
          onDrop={(entries) => {
            holdDropped(entries)
            anew()
          }}
        />
      )}
      {at.importId !== null ? (
        <ReportStep
          key={at.importId}
          id={at.importId}
          choices={at.choices}
          notes={at.notes}
          onBack={() => change({ importId: null })}
          onAgain={(again) => change({ importId: null, check: null, choices: { ...at.choices, ...again } })}
          onAnew={anew}
        />
      ) : at.files.length > 0 ? (
        <CheckStep
          {...at}
          session={session}
          onChoices={choose}
          onCheck={(check) => change({ check })}
          onBringIn={bringIn}
          onAnew={anew}
        />
      ) : (
        <FilesStep onSent={(files, notes) => change({ files, notes, check: null })} />
      )}
    </div>
  )
}

function MayNot({ session: { token } }: { session: Session }) {
  return (
    <>
      <h1>Import data</h1>
      <Empty title="This token can view studies, but not import data">
        <p>
          You are signed in as <bdi>{token?.name}</bdi>, with the role <code>{token?.role}</code>. Importing data needs
          a token with the role <code>write</code>: <code>{commandLine.program} token create --role write</code> makes
          one.
        </p>
        <p>
          <a href="/">View the studies</a>
        </p>
      </Empty>
    </>
  )
}
