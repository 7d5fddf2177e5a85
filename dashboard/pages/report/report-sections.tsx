import type { ComponentChildren } from 'preact'
import type { Item, MethodsData, QualityData, Study } from '../../core/api.ts'
import { isolate } from '../../core/number-texts.ts'
import type { People } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { type Loaded, useData } from '../../core/use-data.ts'
import { queryString, type Settings } from '../../core/view/chart-settings.ts'
import type { LinkSettings } from '../../core/view/link-settings.ts'
import type { ReportPart, Section } from '../../core/view/report-contents.ts'
import { readScarf, type ScarfView, scarfQuery } from '../../core/view/scarf-view.ts'
import { useRowGroups } from '../../figures/row-groups.ts'
import { Await } from '../../ui/waiting/states.tsx'
import { WindowNote } from '../../ui/window/window-note.tsx'
import { readGroups } from '../groups/group-list.ts'
import { ReportBoard } from './board.tsx'
import { OwnText } from './own-words.tsx'
import { ReportGroups } from './report-groups.tsx'
import { ReportItem } from './report-item.tsx'
import { ReportPeople } from './report-people.tsx'
import { ReportQuality } from './report-quality.tsx'

type ReportAnswers = { methods: Loaded<MethodsData>; quality: Loaded<QualityData> }

/** Loads the data that sections of a report share; loads nothing for hidden sections. */
export function useReport(
  studyId: string,
  itemId: string | null,
  { settings, defaults }: Pick<LinkSettings, 'settings' | 'defaults'>,
  sections: Section[],
): ReportAnswers {
  const query = queryString(settings, defaults, { itemId })
  const ofMethods = sections.some((section) => ['methods', 'people', 'sources'].includes(section))
  const methods = ofMethods ? `/api2/studies/${studyId}/methods${query}` : null
  const quality = sections.includes('quality') ? `/api2/studies/${studyId}/analysis/quality${query}` : null
  return {
    methods: useData<MethodsData>(methods, 0, query || 'all'),
    quality: useData<QualityData>(quality, 0, query || 'all'),
  }
}

type SectionProps = {
  study: Study
  /** Null for all items. */
  item: Item | null
  people: People
  settings: Settings
  defaults: Settings
  answers: ReportAnswers
  /** Parts of each item. */
  parts: ReportPart[]
}

/** Draws a section of a report. */
export function ReportSection({ section, ...props }: SectionProps & { section: Section }) {
  const Drawn = DRAWN[section]
  return <Drawn {...props} />
}

const DRAWN: Record<Section, (props: SectionProps) => ComponentChildren> = {
  text: () => <OwnText text={usePlace().query.get('text') ?? ''} />,
  methods: Method,
  people: ({ answers, item, ...props }) => (
    <Await loaded={answers.methods} what="participants">
      {({ facts }) => <ReportPeople {...props} facts={facts} itemId={item?.id ?? null} />}
    </Await>
  ),
  quality: Quality,
  board: ({ people, ...props }) => <ReportBoard {...props} people={people} splits={useRowGroups(people)} />,
  items: Items,
  groups: ({ study, item, people, settings, defaults }) => (
    <section aria-labelledby="report-groups">
      <h2 id="report-groups">Groups</h2>
      <ReportGroups
        {...{ study, settings, defaults }}
        items={item === null ? study.items : [item]}
        names={people.names}
        groups={readGroups(usePlace().query)}
      />
    </section>
  ),
  sources: Sources,
}

function Method({ answers }: SectionProps) {
  return (
    <section aria-labelledby="report-methods">
      <h2 id="report-methods">Method</h2>
      <Await loaded={answers.methods} what="the method">
        {({ paragraph }) => <p class="paragraph">{paragraph}</p>}
      </Await>
    </section>
  )
}

function Quality({ item, settings, answers }: SectionProps) {
  return (
    <section aria-labelledby="report-quality">
      <h2 id="report-quality">Data quality</h2>
      <WindowNote settings={settings}>
        Data quality covers whole recordings; figures and tables of items cover the time window.
      </WindowNote>
      <Await loaded={answers.quality} what="the quality">
        {(data) => <ReportQuality data={data} subject={item === null ? 'all items' : isolate(item.filename)} />}
      </Await>
    </section>
  )
}

function Items({ study, item, people, settings, defaults, parts }: SectionProps) {
  const { scarf } = readScarf(usePlace().query, null)
  const rows = {
    scarf,
    splits: useRowGroups(people),
    onScarf: (next: ScarfView) => setQuery(scarfQuery(next)),
  }
  const items = item === null ? study.items : [item]
  return (
    <>
      {items.map((each) => (
        <ReportItem
          key={`${each.id} ${JSON.stringify(settings)}`}
          {...{ study, settings, defaults, parts, rows }}
          item={each}
          names={people.names}
        />
      ))}
    </>
  )
}

function Sources({ answers }: SectionProps) {
  return (
    <Await loaded={answers.methods} what="the sources">
      {({ sources }) => (
        <section aria-labelledby="report-sources">
          <h2 id="report-sources">Sources</h2>
          <ul class="bulleted references">
            {sources.map(({ key, reference, doi }) => (
              <li key={key}>
                {reference} doi:{doi}
              </li>
            ))}
          </ul>
        </section>
      )}
    </Await>
  )
}
