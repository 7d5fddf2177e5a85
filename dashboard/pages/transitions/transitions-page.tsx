import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import { useAoisOf } from '../../core/aois-of.ts'
import type { TransitionsData } from '../../core/api.ts'
import { usePeople, whoOf } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useData } from '../../core/use-data.ts'
import { queryString } from '../../core/view/chart-settings.ts'
import { readView } from '../../core/view/chart-view.ts'
import { useLinkSettings } from '../../core/view/link-settings.ts'
import { namesOf, readShown } from '../../core/view/shown.ts'
import { AoiChooser } from '../../figures/aoi-legend.tsx'
import { AoiOrderChoice, useAoiOrder } from '../../figures/aoi-order.tsx'
import { figureSubject } from '../../figures/captions.ts'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { usePicture } from '../../figures/picture.ts'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { KeptLine, Side } from '../../figures/settings/item-side.tsx'
import { CalmSettings } from '../../figures/settings/settings-fold.tsx'
import { TestsPanel } from '../../figures/settings/tests-panel.tsx'
import { Choice, type ChoiceOption } from '../../ui/controls/choice.tsx'
import { Panel } from '../../ui/controls/panel.tsx'
import { ShownChoice } from '../../ui/controls/shown-choice.tsx'
import { ItemTitle } from '../../ui/item-title.tsx'
import { itemPage, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { Empty, RefusedLink } from '../../ui/waiting/states.tsx'
import { WithWindow } from '../../ui/window/window-slider.tsx'
import { TransitionCharts } from './transition-charts.tsx'
import { TRANSITION_VIEWS } from './transition-views.ts'

export const TransitionsPage = itemPage(TransitionsView)

function TransitionsView({ study, item, parameters }: KnownItem) {
  const { query } = usePlace()
  const people = usePeople(study.id)
  const { settings, defaults, refused, change } = useLinkSettings(parameters)
  const aois = useAoisOf(study, item)
  const { view, refused: refusedView } = readView(query, { isOne: false, aoiCount: aois.length })
  const colors = useAoiColors(study, aois, view.chosen)
  const picture = usePicture(study.id, item, settings)
  const asked = queryString(settings, defaults, { itemId: item.id, nested: useAoiOrder() })
  const path = aois.length === 0 ? null : `/api2/studies/${study.id}/analysis/transitions${asked}`
  const loaded = useData<TransitionsData>(path, 0, item.id)
  const empty = aois.length === 0 ? NO_AOIS : emptyOf(loaded.data, people, settings)
  const who = whoOf(people, people.all.length === 1 ? people.all[0].id : null)
  const views = namesOf(TRANSITION_VIEWS)
  const shown = readShown(query, 'view', views)
  const timeWindow = { item, settings, defaults, untilMs: loaded.data?.untilMs ?? 0, onChange: change }
  return (
    <ItemPlaces {...{ study, item, people }}>
      <ItemTitle {...{ study, item }} what="Transitions on" />
      <RefusedLink refused={[...refused, ...refusedView]} />
      <div class="item-grid">
        <div class={`item-main${shown === 'all' ? '' : ' single'}`}>
          {empty ?? (
            <>
              <ShownChoice
                legend="Figure"
                parameter="view"
                names={views}
                words={TRANSITION_VIEWS}
                shown={shown}
                hasKeys
              />
              <WithWindow isAll={shown === 'all'} {...timeWindow}>
                <TransitionCharts
                  {...{ item, aois, loaded, picture, colors }}
                  view={shown}
                  chosen={view.chosen}
                  subject={figureSubject(item, who)}
                />
              </WithWindow>
            </>
          )}
        </div>
        <Side>
          <TestsPanel {...{ people, settings }} problem={loaded.problem} onChange={change}>
            {loaded.data !== null && <KeptLine counts={loaded.data} />}
          </TestsPanel>
          {aois.length > 0 && (
            <Panel title="Areas of interest">
              <AoiChooser {...{ study, aois, colors }} chosen={view.chosen} />
              <AoiOrderChoice />
              {(shown === 'arrows' || shown === 'all') && <ArrowsChoice />}
            </Panel>
          )}
          <CalmSettings {...{ parameters, settings, defaults }} onChange={change} />
        </Side>
      </div>
    </ItemPlaces>
  )
}

function ArrowsChoice() {
  const { query } = usePlace()
  return (
    <Choice
      label={<span class="hint">Arrows, at most</span>}
      value={query.get('arrows') ?? '30'}
      of={['10', '30', '100'].map((most): ChoiceOption => [most, most])}
      onChange={(value) => setQuery({ arrows: value === '30' ? null : value })}
    />
  )
}

const NO_AOIS = (
  <Empty title="This item has no areas of interest">
    <p>Transitions and visits are between areas of interest, so there is nothing to draw.</p>
  </Empty>
)
