import type { Study } from '../core/api.ts'
import { useLink } from '../core/link-seen.ts'
import { isolate } from '../core/number-texts.ts'
import { useStudyLink } from '../core/view/study-links.ts'

/** Draws the link from a page of a study back to the study. */
export function Crumbs({ study }: { study: Study }) {
  const link = useLink()
  const linkTo = useStudyLink(study.id)
  const name = <bdi>{study.name || 'Study'}</bdi>
  return (
    <nav class="crumbs" aria-label="Breadcrumb" title={isolate(study.name)}>
      {link === null || link.page === 'study' ? <a href={linkTo()}>{name}</a> : name}
    </nav>
  )
}
