import { useRef } from 'preact/hooks'
import { useInSight } from '../core/in-sight.ts'
import { usePlace } from '../core/router.ts'
import { useStudyLink } from '../core/view/study-links.ts'

type StudySectionsProps = {
  studyId: string
  /** Name of the page of exports; null if the visitor may not download. */
  exports?: string | null
}

/** Draws links to the pages of a study, with the tests and settings of this one. */
export function StudySections({ studyId, exports = 'Export' }: StudySectionsProps) {
  const { path } = usePlace()
  const linkTo = useStudyLink(studyId)
  const base = `/studies/${studyId}`
  const [, page = ''] = /^\/studies\/[^/]+(\/(?:groups|quality|report|export)\b)?/.exec(path) ?? []
  const here = useRef<HTMLAnchorElement | null>(null)
  useInSight(() => here.current, page)
  const sections: [page: string, words: string | null][] = [
    ['', 'Study'],
    ['/groups', 'Groups'],
    ['/quality', 'Quality'],
    ['/report', 'Report'],
    ['/export', exports],
  ]
  return sections.map(
    ([own, words]) =>
      words !== null && (
        <a
          key={own}
          ref={own === page ? here : undefined}
          href={linkTo(own)}
          aria-current={own !== page ? undefined : path === base + own ? 'page' : 'true'}
        >
          {words}
        </a>
      ),
  )
}
