import './help.css'
import { PAGES } from 'virtual:docs'
import { useEffect, useRef } from 'preact/hooks'
import type { Problem } from '../../core/api.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useModule } from '../../core/use-module.ts'
import { useTitle } from '../../core/use-title.ts'
import { Find } from '../../ui/controls/field.tsx'
import { Documentation } from '../../ui/help/documentation.tsx'
import { Loading, Trouble } from '../../ui/waiting/states.tsx'
import { FoundSections } from './found-sections.tsx'

const NOT_COME: Problem = {
  status: 0,
  title: 'This page could not be loaded',
  detail: 'The server may have stopped, or its version may have changed since you opened Gazette. Reload the page.',
  type: null,
}

/**
 * Shows a page of the documentation, with a search over all pages. A page that is not there is searched by its name,
 * since it may be a section of another now.
 *
 * @param slug '' for the list of pages
 */
export function HelpPage({ slug }: { slug: string }) {
  const { query } = usePlace()
  const wanted = query.get('find') ?? ''
  const page = PAGES.find((each) => each.slug === slug)
  useTitle(page?.title ?? 'No such page', 'Help')
  return (
    <div class="help">
      <div class="page-head">
        <nav class="crumbs" aria-label="Breadcrumb">
          <a href="/help">Help</a>
        </nav>
        <search>
          <Find label="Search the documentation" value={wanted} onText={(find) => setQuery({ find })} />
        </search>
      </div>
      {wanted.trim() !== '' && <FoundSections wanted={wanted} />}
      {page === undefined ? <NoPage slug={slug} isSearched={wanted.trim() !== ''} /> : <Page page={page} />}
    </div>
  )
}

function NoPage({ slug, isSearched }: { slug: string; isSearched: boolean }) {
  return (
    <>
      <h1>The documentation has no page “{slug}”</h1>
      {!isSearched && <FoundSections wanted={slug.replaceAll('-', ' ')} />}
    </>
  )
}

function Page({ page }: { page: (typeof PAGES)[number] }) {
  const { data, isMissing } = useModule(page.load)
  const article = useRef<HTMLElement | null>(null)
  useEffect(() => {
    if (data === null || location.hash === '') return
    article.current?.querySelector(`#${CSS.escape(decodeURIComponent(location.hash.slice(1)))}`)?.scrollIntoView()
  }, [data])
  if (isMissing) return <Trouble problem={NOT_COME} retry={() => location.reload()} />
  if (data === null) return <Loading what={page.title} />
  return (
    <article ref={article} class="docs">
      <Documentation html={data.html} />
    </article>
  )
}
