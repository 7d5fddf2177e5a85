import type { ComponentChildren } from 'preact'
import { commandLine, type Problem } from '../../core/api.ts'
import { countOf } from '../../core/number-texts.ts'
import { inWords } from '../../core/problem-words.ts'
import { setQuery } from '../../core/router.ts'
import type { Loaded } from '../../core/use-data.ts'
import type { Refused } from '../../core/view/chart-view.ts'
import { Button } from '../controls/button.tsx'
import { useToldOnce } from './told-once.ts'

export function Loading({ what }: { what: string }) {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" />
      Loading {what} …
    </p>
  )
}

/**
 * Draws a problem, and what to do about it; once a page, if several parts of it have the same.
 *
 * @param what name of the missing data, if nothing around it says so
 */
export function Trouble({ problem, what, retry }: { problem: Problem; what?: string; retry?: () => void }) {
  const { status, instance, retryAfterSeconds: seconds = 0 } = problem
  const { title, detail, type, way } = inWords(problem, retry !== undefined)
  const isFirst = useToldOnce(`${title} ${detail}`)
  if (!isFirst) return null
  return (
    <div class="state trouble" role="alert">
      <strong>
        {title}
        {what !== undefined && status !== 0 && way === null && `: ${what}`}
      </strong>
      {detail !== '' && <p>{detail}</p>}
      <RefusedValues problem={problem} />
      {seconds > 0 && <p>Try again in {countOf(seconds, 'second')}.</p>}
      {status >= 500 && instance != null && (
        <p>
          The id for the operator, <code>instance</code>: <code>{instance}</code>
        </p>
      )}
      <p class="row">
        {way === 'studies' && (
          <a class="button primary" href="/">
            Go to the studies
          </a>
        )}
        {way === 'reload' && <Button onClick={() => location.reload()}>Reload the page</Button>}
        {way === 'everyone' && <Button onClick={() => setQuery({ participant: null })}>Show all participants</Button>}
        {retry !== undefined && way === null && <Button onClick={retry}>Try again</Button>}
        {type?.startsWith('/docs/') && <a href={type}>Meaning and solution</a>}
      </p>
    </div>
  )
}

/** Lists each refused value with its rule, unless the problem's sentence already names it. */
export function RefusedValues({ problem: { detail, errors = [] } }: { problem: Pick<Problem, 'detail' | 'errors'> }) {
  const untold = errors.filter(({ parameter }) => !detail.includes(parameter))
  return untold.length === 0 ? null : (
    <ul class="bulleted">
      {untold.map(({ parameter, rule, value }) => (
        <li key={parameter}>
          <code>{parameter}</code> {rule}, not “<bdi>{value}</bdi>”.
        </li>
      ))}
    </ul>
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

/** Names each invalid value of a link, and what is shown instead. */
export function RefusedLink({ refused }: { refused: Refused[] }) {
  if (refused.length === 0) return null
  return (
    <div class="notice" role="alert">
      <p>This link has values that cannot be used; defaults are used instead:</p>
      <ul>
        {refused.map(({ name, value, rule }) => (
          <li key={`${name} ${value}`}>
            <code>{name}</code> {rule}; the link has “<bdi>{value}</bdi>”.
          </li>
        ))}
      </ul>
    </div>
  )
}

type AwaitProps<T> = { loaded: Loaded<T>; what: string; children: (data: T) => ComponentChildren }

/** Draws loaded data, a spinner, or the problem; after a problem, earlier data is marked as old. */
export function Await<T>({ loaded: { data, problem, retry }, what, children }: AwaitProps<T>) {
  if (problem !== null)
    return (
      <>
        <Trouble {...{ problem, what, retry }} />
        {data !== null && <Old what={what}>{children(data)}</Old>}
      </>
    )
  if (data === null) return <Loading what={what} />
  return <>{children(data)}</>
}

/** Marks data from before a problem as old, so that nobody mistakes it for the answer. */
export function Old({ what, children }: { what: string; children: ComponentChildren }) {
  return (
    <div class="old">
      <p class="badge old-mark">Outdated: {what} from the previous answer, not the latest</p>
      {children}
    </div>
  )
}

/** Explains how participants are added to a study. */
export function HowToBringIn() {
  return (
    <p>
      Drop recordings on the page <a href="/bring-in">Import data</a>, or add them with{' '}
      <code>{commandLine.program} import --append DIR</code>, where <code>DIR</code> is a bundle of this study with the
      new participants. The documentation explains bundles, and how to convert recordings to one.
    </p>
  )
}
