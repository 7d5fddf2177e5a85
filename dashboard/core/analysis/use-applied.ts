import { createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import type { ParameterInfo, Participants, Study } from '../api.ts'
import { linkQuery, useIsView, useLink } from '../link-seen.ts'
import { usePlace } from '../router.ts'
import { useData } from '../use-data.ts'
import { GRADE_NAME, readSettings, type Settings } from '../view/chart-settings.ts'
import { hasBothEyes } from '../view/eyes-seen.ts'
import { type Applied, appliedText, whatApplies } from './applied.ts'
import { changesIn, decidedParameters, type Stored } from './decided.ts'

/** Words for what applies to this page, for the captions of its figures; null on pages without a study. */
export const AppliedSeen = createContext<Applied | null>(null)

/** Returns what applies to the figures of this page, as one line; '' if all tests count, with default settings. */
export function useAppliedText(): string {
  const applied = useContext(AppliedSeen)
  return applied === null ? '' : appliedText(applied)
}

/**
 * Sums up what applies to this page: the settings of its address, on top of its analysis.
 *
 * @param plain parameters with the server's defaults
 */
export function useApplied(study: Pick<Study, 'id' | 'eyes'>, plain: ParameterInfo[], current: Stored | null): Applied {
  const { query, path: page } = usePlace()
  const search = query.toString()
  const decided = useMemo(() => decidedParameters(plain, current), [plain, current?.reference])
  const { settings } = useMemo(() => readSettings(query, decided), [search, decided])
  const path = useKeptPath(study.id, settings, current)
  // Pupils and microsaccades are of each eye: their pages say so themselves.
  const isOfBothEyes = hasBothEyes(study) && !/\/(pupils|microsaccades)$/.test(page)
  const { data } = useData<Participants>(path, 0, path ?? '')
  return useMemo(
    () =>
      whatApplies({
        settings,
        plain,
        isOfBothEyes,
        analysis: current?.analysis ?? {},
        name: current?.name ?? null,
        isChanged: changesIn(query, decided).length > 0,
        kept: data?.kept ?? null,
      }),
    [settings, plain, isOfBothEyes, current?.reference, data],
  )
}

/** Returns the address that counts the kept tests; null if nothing excludes any. */
function useKeptPath(studyId: string, settings: Settings, current: Stored | null): string | null {
  const link = useLink()
  const isView = useIsView()
  const path = `/api2/studies/${studyId}/participants`
  const { filter, [GRADE_NAME]: gradeMin, analysis } = settings
  const { filter: own, ignored = [] } = current?.analysis ?? {}
  if (filter === '' && gradeMin === 1 && !own && ignored.length === 0) return null
  // A link fixes its tests.
  if (link !== null && isView) return path + linkQuery(link, { limit: '1' })
  const asked = new URLSearchParams({ limit: '1' })
  if (filter !== '') asked.set('filter', filter)
  if (gradeMin !== 1 || current !== null) asked.set(GRADE_NAME, String(gradeMin))
  if (analysis !== '') asked.set('analysis', analysis)
  return `${path}?${asked}`
}
