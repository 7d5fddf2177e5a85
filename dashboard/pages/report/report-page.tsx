import './report.css'
import { useState } from 'preact/hooks'
import type { Item, Problem, Study } from '../../core/api.ts'
import { isolate, wholeText } from '../../core/number-texts.ts'
import { useOneStop } from '../../core/one-stop.ts'
import { type People, usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useTitle } from '../../core/use-title.ts'
import { readBoard } from '../../core/view/board.ts'
import { type LinkSettings, useLinkSettings } from '../../core/view/link-settings.ts'
import { readItem } from '../../core/view/named-item.ts'
import { useHasRoom, useKept } from '../../core/view/places.ts'
import { readContents, SECTIONS, type Section } from '../../core/view/report-contents.ts'
import { readScarf } from '../../core/view/scarf-view.ts'
import { SettingsFold } from '../../figures/settings/settings-fold.tsx'
import { GradeFilter } from '../../figures/settings/settings-panel.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Check, Choice } from '../../ui/controls/choice.tsx'
import { itemOptions } from '../../ui/controls/options.ts'
import { Crumbs } from '../../ui/crumbs.tsx'
import { FilterChips } from '../../ui/people/filter-chips.tsx'
import { AwaitStudy, type KnownStudy } from '../../ui/waiting/await-item.tsx'
import { RefusedLink } from '../../ui/waiting/states.tsx'
import { BusyArticle, PrintAndSave } from './busy-article.tsx'
import { ContentsPanel } from './contents-panel.tsx'
import { WithKeptContents } from './kept-contents.tsx'
import { storedLogo } from './own-words.tsx'
import { ReportSection, useReport } from './report-sections.tsx'

/**
 * Draws a study as printable pages: method, participants and exclusions, quality, and the figures and tables of each
 * item.
 */
export function ReportPage({ studyId, version }: { studyId: string; version: string }) {
  const people = usePeople(studyId)
  return (
    <AwaitStudy studyId={studyId}>
      {(known) => (
        <WithKeptContents>
          <Report {...known} people={people} version={version} />
        </WithKeptContents>
      )}
    </AwaitStudy>
  )
}

type ReportProps = KnownStudy & { people: People; version: string }

function Report({ study, parameters, people, version }: ReportProps) {
  const { query } = usePlace()
  const link = useLinkSettings(parameters)
  const { settings, defaults } = link
  const { item, refused: refusedItem } = readItem(query, study)
  const { contents, refused } = readContents(query)
  const { sections, parts } = contents
  const answers = useReport(study.id, item?.id ?? null, link, sections)
  const [logo, setLogo] = useState(storedLogo)
  const [hasTools, setHasTools] = useState(false)
  useTitle('Report', isolate(study.name))
  const hasRoom = useHasRoom()
  const contentsPanel = <ContentsPanel {...{ study, people, contents, logo }} onLogo={setLogo} />
  const choices = <ReportChoices {...{ study, item, link, version }} />
  const tests = <Tests {...{ parameters, people, link }} problem={answers.methods.problem ?? answers.quality.problem} />
  const tools = <ToolsCheck isOn={hasTools} onChange={setHasTools} />
  return (
    <BusyArticle
      hasTools={hasTools}
      left={
        hasRoom ? (
          <div class="report-side no-print">
            <Outline items={item === null ? study.items : [item]} sections={sections} />
            {contentsPanel}
          </div>
        ) : null
      }
      right={
        hasRoom ? (
          <aside class="card panel report-side no-print" aria-label="Tests and settings">
            {choices}
            {tests}
            {tools}
          </aside>
        ) : null
      }
    >
      <header>
        <Crumbs study={study} />
        {logo !== null && <img class="logo" src={logo} alt="Logo" />}
        <div class="page-head">
          <ReportTitle study={study} />
          {!hasRoom && <div class="row no-print">{choices}</div>}
        </div>
        {!hasRoom && (
          <>
            <div class="no-print">{tests}</div>
            {contentsPanel}
            {tools}
          </>
        )}
        <RefusedLink
          refused={[
            ...link.refused,
            ...refusedItem,
            ...refused,
            ...readScarf(query, null).refused,
            ...readBoard(query).refused,
          ]}
        />
        <ReportOrigin {...{ study, item, version }} />
      </header>
      {sections.map((section) => (
        <ReportSection key={section} {...{ section, study, item, people, settings, defaults, answers, parts }} />
      ))}
    </BusyArticle>
  )
}

function ReportTitle({ study }: { study: Study }) {
  const { query } = usePlace()
  return (
    <h1>
      {query.get('title') || (
        <>
          <bdi>{study.name || 'Study without a name'}</bdi>: report
        </>
      )}
    </h1>
  )
}

type ReportOriginProps = { study: Study; item: Item | null; version: string }

/** Says of what the report is, and of which data on which day. */
function ReportOrigin({ study, item, version }: ReportOriginProps) {
  return (
    <p class="hint">
      {item === null ? 'All items' : isolate(item.filename)} · Gazette v{version} · snapshot{' '}
      <code>{study.snapshot.slice(0, 12)}</code> · {new Date().toISOString().slice(0, 10)}
    </p>
  )
}

function ToolsCheck({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <p class="no-print">
      <Check class="tick" {...{ isOn, onChange }}>
        Tools of figures and tables: explanations, numbers, saving, copying, order of rows
      </Check>
    </p>
  )
}

type OfLink = { link: LinkSettings }

/** Draws the choice of the item and of the tests of the report, and what prints and saves it. */
function ReportChoices({ study: { items }, item, link, version }: OfLink & ReportOriginProps) {
  return (
    <>
      {items.length > 1 && (
        <Choice
          isInline
          label="Item"
          value={item?.id ?? ''}
          of={itemOptions(items, 'All items')}
          onChange={(value) => setQuery({ item: value })}
        />
      )}
      <GradeFilter settings={link.settings} onChange={link.change} />
      <PrintAndSave program={`Gazette v${version}`} />
    </>
  )
}

/** Items that the outline lists until somebody asks for all. */
const LISTED_ITEMS = 12

/** Lists the sections of the report, in its order, to be jumped to. */
function Outline({ items, sections }: { items: Item[]; sections: Section[] }) {
  const stop = useOneStop<HTMLUListElement>('a')
  const [isAll, setAll] = useKept('all-items')
  const listed = isAll ? items : items.slice(0, LISTED_ITEMS)
  const ofSection = (section: Section): [id: string, words: string][] =>
    section === 'items'
      ? listed.map(({ id, filename }) => [`report-item-${id}`, filename || 'Item'])
      : section === 'text'
        ? []
        : [[`report-${section}`, SECTIONS[section]]]
  const isFolded = items.length > LISTED_ITEMS && sections.includes('items')
  return (
    <nav class="report-outline" aria-label="Sections of the report">
      <ul {...stop}>
        {sections.flatMap(ofSection).map(([id, words]) => (
          <li key={id}>
            <a href={`#${id}`}>
              <bdi>{words}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {isFolded && (
        <Button class="link" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? `Show the first ${LISTED_ITEMS} items` : `Show all ${wholeText(items.length)} items`}
        </Button>
      )}
    </nav>
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
          {...{ facts, problem }}
          people={people.all}
          onChange={(filter) => change({ ...settings, filter })}
        />
      )}
      <SettingsFold {...{ parameters, settings, defaults }} onChange={change} />
    </>
  )
}
