import type { ComponentChildren } from 'preact'
import type { Loaded, Problem } from '../api.ts'

export function Loading({ what }: { what: string }) {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" />
      Loading {what} …
    </p>
  )
}

/** Draws what went wrong, and what to do about it. */
export function Trouble({ problem, retry }: { problem: Problem; retry?: () => void }) {
  return (
    <div class="state trouble" role="alert">
      <strong>{problem.title}</strong>
      {problem.detail !== '' && <p>{problem.detail}</p>}
      <p class="row">
        {retry !== undefined && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
        {problem.type?.startsWith('/docs/') && <a href={problem.type}>What it means, and what to do</a>}
      </p>
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state empty">
      <strong>{title}</strong>
      <div>{children}</div>
    </div>
  )
}

/** Shows what was loaded, or that it is on its way, or why it did not come. */
export function Await<T>({
  loaded,
  what,
  children,
}: {
  loaded: Loaded<T>
  what: string
  children: (data: T) => ComponentChildren
}) {
  if (loaded.problem !== null) return <Trouble problem={loaded.problem} retry={loaded.retry} />
  if (loaded.data === null) return <Loading what={what} />
  return <>{children(loaded.data)}</>
}
