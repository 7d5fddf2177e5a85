import type { ComponentChildren } from 'preact'
import { LinkSeen, linkQuery, type SeenLink, studyOfPath } from '../../core/link-seen.ts'
import { dateTime } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { usePlace } from '../../core/router.ts'
import { carrying } from '../../core/view/study-links.ts'
import { Mark } from '../../ui/mark.tsx'
import { StudySections } from '../../ui/study-sections.tsx'
import './link.css'

/** Returns whether a link shows a page; the documentation holds no data and is always shown. */
function isShown({ page, path: own, hasDownloads }: SeenLink, path: string): boolean {
  const study = `/studies/${studyOfPath(own)}`
  const place = path.toLowerCase()
  if (/^\/help(\/|$)/.test(place)) return true
  if (place === `${study}/export`) return hasDownloads
  if (page === 'study') return (place === study || place.startsWith(`${study}/`)) && !place.endsWith('/aois')
  return place === own.split('?')[0].toLowerCase()
}

/** Draws a page for a visitor with a link, or a note that the link does not include it. */
export function SeenByLink({ link, path, children }: { link: SeenLink; path: string; children: ComponentChildren }) {
  if (!isShown(link, path))
    return (
      <>
        <h1>This page is not part of the link</h1>
        <p>The link shows only one view, which does not include this page.</p>
        <p class="row">
          <a class="button primary" href={link.path}>
            Go to the shared page
          </a>
        </p>
      </>
    )
  return <LinkSeen.Provider value={link}>{children}</LinkSeen.Provider>
}

/** Says, instead of the navigation, that the visitor uses a link, and when it expires. */
export function LinkBar({ link, expiresAt, path }: { link: SeenLink; expiresAt: string | null; path: string }) {
  const here = usePlace()
  const studyId = studyOfPath(link.path)!
  const downloads = `/studies/${studyId}/export`
  const stop = useOneStop<HTMLElement>()
  return (
    <div class="link-bar">
      <span class="brand">
        <Mark />
        Gazette
      </span>
      <span class="hint">
        Shared by <bdi>{link.madeBy || 'somebody'}</bdi>
        {expiresAt !== null && <>, until {dateTime(expiresAt)}</>}
      </span>
      {(link.page === 'study' || link.hasDownloads) && (
        <nav class="nav" aria-label="Main" {...stop}>
          {link.page === 'study' ? (
            <StudySections studyId={studyId} exports={link.hasDownloads ? 'Downloads' : null} />
          ) : (
            <>
              <a href={link.path} aria-current={path === downloads ? undefined : 'page'}>
                View
              </a>
              <a
                href={carrying(here, downloads, Object.fromEntries(new URLSearchParams(linkQuery(link))))}
                aria-current={path === downloads ? 'page' : undefined}
              >
                Downloads
              </a>
            </>
          )}
        </nav>
      )}
    </div>
  )
}
