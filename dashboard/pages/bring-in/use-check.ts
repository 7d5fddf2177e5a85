import { useEffect, useRef } from 'preact/hooks'
import type { Import } from '../../core/api.ts'
import { useChange } from '../../core/use-change.ts'
import { type Choices, readImportChoices } from './choices/choices.ts'
import type { SentFile } from './files/use-sending.ts'
import { askImport, useImport } from './use-import.ts'

const CHECK_AFTER_MS = 700

/** Check of files: its import, and the choices of its request. */
export type ImportCheck = { id: string; asked: string }

type Checked = { files: SentFile[]; choices: Choices; check: ImportCheck | null; onCheck: (check: ImportCheck) => void }

/**
 * Checks files, and again whenever the choices change; a check of earlier choices is stopped.
 *
 * @returns `last` the last check that has ended, also while the next one runs; `isOld` true if it has other choices
 */
export function useCheck({ files, choices, check, onCheck }: Checked) {
  const { problem, isBusy, act } = useChange()
  const followed = useImport(check?.id ?? null)
  const { view, stop } = followed
  const { body, missing, faults } = readImportChoices(choices)
  const asked = JSON.stringify([choices.into, choices.replaces, body])
  const uploads = files.map((file) => file.id)
  const ask = () =>
    act(async () => {
      const { id } = await askImport(uploads, body, choices, true)
      onCheck({ id, asked })
    })
  const isOpen = check !== null && (view === null || view.finishedAt === null)
  const last = useLastEnded(view)
  const isChanged = check !== null && check.asked !== asked
  const canBeChecked = missing.length === 0 && faults.length === 0
  const isDue = isChanged && canBeChecked
  const latest = useRef({ ask, stop, isOpen })
  latest.current = { ask, stop, isOpen }
  useEffect(() => {
    if (check === null) void latest.current.ask()
    else if (isDue) {
      // Debounced while typing.
      const timer = window.setTimeout(() => {
        if (latest.current.isOpen) latest.current.stop()
        void latest.current.ask()
      }, CHECK_AFTER_MS)
      return () => window.clearTimeout(timer)
    }
  }, [check === null, asked])
  const [isOld, isWaiting] = [isChanged || isOpen, isDue || isOpen]
  return { problem, isBusy, act, ask, followed, last, isOpen, isOld, isWaiting, canBeChecked, missing, faults }
}

function useLastEnded(view: Import | null): Import | null {
  const ended = view !== null && view.finishedAt !== null && view.state !== 'canceled' ? view : null
  const last = useRef<Import | null>(null)
  if (ended !== null) last.current = ended
  return last.current
}
