import type { Study } from '../api.ts'

/** Shows where a page is: among the pages of a study. */
export function Crumbs({ study }: { study: Study }) {
  return (
    <nav class="crumbs" aria-label="Where you are">
      <a href="/">Studies</a> <span aria-hidden="true">/</span>{' '}
      <a href={`/studies/${study.id}`}>
        <bdi>{study.name || 'Study'}</bdi>
      </a>{' '}
      <span aria-hidden="true">/</span>
    </nav>
  )
}
