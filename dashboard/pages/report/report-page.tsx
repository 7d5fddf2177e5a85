import './report.css'
import { useState } from 'preact/hooks'
import type { Item, Problem, Study } from '../../core/api.ts'
import { isolate } from '../../core/number-texts.ts'
import { type People, usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useTitle } from '../../core/use-title.ts'
import { readBoard } from '../../core/view/board.ts'
import { type LinkSettings, useLinkSettings } from '../../core/view/link-settings.ts'
import { readContents } from '../../core/view/report-contents.ts'
import { SettingsFold } from '../../figures/settings/settings-fold.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { Check, Choice } from '../../ui/controls/choice.tsx'
import { itemOptions } from '../../ui/controls/options.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { AwaitStudy, type KnownStudy } from '../../ui/waiting/await-item.tsx'
import { RefusedLink } from '../../ui/waiting/states.tsx'
import { BusyArticle, PrintButton } from './busy-article.tsx'
import { ContentsPanel } from './contents-panel.tsx'
import { useKeptContents } from './kept-contents.tsx'
import { storedLogo } from './own-words.tsx'
import { ReportSection, useReport } from './report-sections.tsx'

type ReportPageProps = { studyId: string; version: string }

/**
 * Draws a study as printable pages: method, participants and exclusions, quality, and the figures and tables of each
 * item.
 */
export function ReportPage({ studyId, version }: ReportPageProps) {
  const people = usePeople(studyId)
  return <AwaitStudy studyId={studyId}>{(known) => <Report {...known} people={people} version={version} />}</AwaitStudy>
}

type ReportProps = KnownStudy & { people: People; version: string }

function Report({ study, parameters, people, version }: ReportProps) {
  const { query } = usePlace()
  const link = useLinkSettings(parameters)
  const { settings, defaults } = link
  const item = study.items.find(({ id }) => id === query.get('item')) ?? null
  const { contents, refused } = readContents(query)
  const { sections, parts } = contents
  useKeptContents()
  const answers = useReport(study.id, item?.id ?? null, link, sections)
  const [logo, setLogo] = useState(storedLogo)
  const [hasTools, setHasTools] = useState(false)
  useTitle('Report', isolate(study.name))
  return (
    <BusyArticle hasTools={hasTools}>
      <header>
        <Crumbs study={study} />
        {logo !== null && <img class="logo" src={logo} alt="Logo" />}
        <ReportHead {...{ study, item, link }} />
        <div class="no-print">
          <Tests {...{ parameters, people, link }} problem={answers.methods.problem ?? answers.quality.problem} />
        </div>
        <ContentsPanel {...{ study, people, contents, logo }} onLogo={setLogo} />
        <p class="no-print">
          <Check class="tick" isOn={hasTools} onChange={setHasTools}>
            Tools of figures and tables: explanations, numbers, saving, copying
          </Check>
        </p>
        <RefusedLink refused={[...link.refused, ...refused, ...readBoard(query).refused]} />
        <p class="hint">
          {item === null ? 'All items' : isolate(item.filename)} · Gazette v{version} · snapshot{' '}
          <code>{study.snapshot.slice(0, 12)}</code> · {new Date().toISOString().slice(0, 10)}
        </p>
      </header>
      {sections.map((section) => (
        <ReportSection key={section} {...{ section, study, item, people, settings, defaults, answers, parts }} />
      ))}
    </BusyArticle>
  )
}

type OfLink = { link: LinkSettings }

/** Draws the title of the report, and the choice of its item and tests. */
function ReportHead({ study, item, link }: OfLink & { study: Study; item: Item | null }) {
  const { query } = usePlace()
  const { items } = study
  return (
    <div class="page-head">
      <h1>
        {query.get('title') || (
          <>
            <bdi>{study.name || 'Study without a name'}</bdi>: report
          </>
        )}
      </h1>
      <div class="row no-print">
        <Choice
          isInline
          label="Item"
          value={item?.id ?? ''}
          of={itemOptions(items, items.length === 1 ? null : 'All items')}
          onChange={(value) => setQuery({ item: value })}
        />
        <GradeFilter settings={link.settings} onChange={link.change} />
        <PrintButton />
      </div>
    </div>
  )
}

type TestsProps = OfLink & Pick<ReportProps, 'parameters' | 'people'> & { problem: Problem | null }

/** Draws the conditions and settings of the whole report. */
function Tests({ parameters, people, problem, link: { settings, defaults, change } }: TestsProps) {
  const facts = people.first.data
  return (
    <>
      {facts !== null && (
        <FilterChips
          title="Tests"
          isFolded
          filter={settings.filter}
          facts={facts}
          people={people.all}
          problem={problem}
          onChange={(filter) => change({ ...settings, filter })}
        />
      )}
      <SettingsFold {...{ parameters, settings, defaults }} onChange={change} />
    </>
  )
}
