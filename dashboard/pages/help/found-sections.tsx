import type MiniSearch from 'minisearch'
import { type FoundSection, SEARCHED } from '../../core/help/search-options.ts'
import { countOf } from '../../core/number-texts.ts'
import { useModule } from '../../core/use-module.ts'

const SHOWN = 12

/** Lists the documentation sections that a search finds, best first. */
export function FoundSections({ wanted, most = SHOWN }: { wanted: string; most?: number }) {
  const { data: index, isMissing } = useModule(loadIndex)
  if (isMissing) return <p role="alert">The search could not be loaded. Reload the page.</p>
  if (index === null) return <p role="status">Loading the search …</p>
  const found = index.search(wanted) as unknown as FoundSection[]
  return (
    <section class="card panel found" aria-label="Found in the documentation">
      <p class="hint" role="status">
        {found.length === 0
          ? `Nothing contains “${wanted.trim()}”. Try fewer or other words.`
          : countOf(found.length, 'section')}
        {found.length > most && `; the best ${most} are listed`}
      </p>
      <ul>
        {found.slice(0, most).map(({ id, title, heading, beginning }) => (
          <li key={id}>
            <a href={addressOf(id)}>{heading === title ? title : `${title}: ${heading}`}</a>
            <p class="hint">{beginning}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function addressOf(id: string): string {
  const [slug, hash] = id.split('#')
  return `/help${slug === '' ? '' : `/${slug}`}${hash === '' ? '' : `#${hash}`}`
}

async function loadIndex(): Promise<MiniSearch> {
  const [{ default: Search }, { INDEX }] = await Promise.all([import('minisearch'), import('virtual:docs-search')])
  return Search.loadJSON(INDEX, SEARCHED)
}
