import type { ScanpathsData } from '../../core/api.ts'
import { usePeople } from '../../core/people/people.ts'
import { useData } from '../../core/use-data.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { useLinkSettings } from '../../core/view/link-settings.ts'
import { figureSubject } from '../../figures/captions.ts'
import { useSpan } from '../../figures/item-answers.ts'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { KeptLine, Side } from '../../figures/settings/item-side.tsx'
import { CalmSettings } from '../../figures/settings/settings-fold.tsx'
import { TestsPanel } from '../../figures/settings/tests-panel.tsx'
import { ItemTitle } from '../../ui/item-title.tsx'
import { itemPage, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { RefusedLink } from '../../ui/waiting/states.tsx'
import { ChartsWindow } from '../../ui/window/window-slider.tsx'
import { MeasuresFigure } from './measures-figure.tsx'
import { PairsFigure } from './pairs-figure.tsx'

export const ScanpathsPage = itemPage(ScanpathsView)

function ScanpathsView({ study, item, parameters }: KnownItem) {
  const people = usePeople(study.id)
  const { settings, defaults, refused, change } = useLinkSettings(parameters)
  const asked = queryString(settings, defaults, { itemId: item.id })
  const loaded = useData<ScanpathsData>(`/api2/studies/${study.id}/analysis/scanpaths${asked}`, 0, item.id)
  const untilMs = useSpan(study.id, item, [])
  const empty = emptyOf(loaded.data, people, settings)
  const figures = { item, loaded, subject: figureSubject(item, 'all participants'), names: people.names }
  return (
    <ItemPlaces {...{ study, item, people }}>
      <ItemTitle {...{ study, item }} what="Scanpaths on" />
      <RefusedLink refused={refused} />
      <div class="item-grid">
        <div class="item-main">
          {empty ?? (
            <ChartsWindow.Provider value={{ item, settings, defaults, untilMs, onChange: change }}>
              <div class="stack">
                <PairsFigure {...figures} />
                <MeasuresFigure {...figures} />
              </div>
            </ChartsWindow.Provider>
          )}
        </div>
        <Side>
          <TestsPanel {...{ people, settings }} problem={loaded.problem} onChange={change}>
            {loaded.data !== null && <KeptLine counts={loaded.data} />}
          </TestsPanel>
          <CalmSettings {...{ parameters, settings, defaults }} listed={LISTED} onChange={change} />
        </Side>
      </div>
    </ItemPlaces>
  )
}

/** Settings of the page: those of fixations, and of recurrence. */
const LISTED = ['gazeVelocityThreshold', 'recurrenceRadiusPercent']
