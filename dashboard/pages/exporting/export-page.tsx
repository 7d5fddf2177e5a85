import type { FormatInfo, Preview, Schema, Study } from '../../core/api.ts'
import { useLink } from '../../core/link-seen.ts'
import { countOf, isolate, wholeText } from '../../core/number-texts.ts'
import { usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { type Loaded, useData } from '../../core/use-data.ts'
import { useTitle } from '../../core/use-title.ts'
import { namesFor, queryString, type Settings } from '../../core/view/chart-settings.ts'
import { useSliders } from '../../core/view/link-settings.ts'
import { useStudyLink } from '../../core/view/study-links.ts'
import { GradeFilter, SettingsPanel } from '../../figures/settings/settings-panel.tsx'
import { TestFilter } from '../../figures/settings/test-filter.tsx'
import { Choice } from '../../ui/controls/choice.tsx'
import { itemOptions } from '../../ui/controls/options.ts'
import { Panel } from '../../ui/controls/panel.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { AwaitStudy, type KnownStudy } from '../../ui/waiting/await-item.tsx'
import { Await, RefusedLink } from '../../ui/waiting/states.tsx'
import { WindowNote } from '../../ui/window/window-note.tsx'
import { ColumnList } from './columns.tsx'
import { type ExportChoice, pathsOf, readChoice } from './export-choice.ts'
import { FirstRows } from './first-rows.tsx'
import { PackagePanel } from './package-panel.tsx'
import { ScriptLines } from './script-lines.tsx'
import { TableChoice } from './table-choice.tsx'
import { Take } from './take.tsx'
import './exporting.css'

export function ExportPage({ studyId }: { studyId: string }) {
  return <AwaitStudy studyId={studyId}>{(known) => <ExportView {...known} />}</AwaitStudy>
}

function ExportView({ study, catalog, parameters }: KnownStudy) {
  const { exports, questions, formats } = catalog
  const [csv] = formats
  useTitle('Export', isolate(study.name) || 'Study')
  const choice = readChoice(usePlace().query, study, catalog)
  const { chosen, itemId, format } = choice
  const methodsHref = useStudyLink(study.id)('', { itemId, part: 'methods' })
  const { settings, defaults, refused, change, calm } = useSliders(parameters)
  const sliders = { parameters, settings, defaults, onChange: change }
  const { path, previewPath } = pathsOf(study.id, choice, csv, calm, defaults)
  // Packages do not have the other formats.
  const packed = format.name === 'parquet' ? format.name : null
  const preview = useData<Preview>(previewPath, 0, chosen.name)
  const schema = useData<Schema>(chosen.schema, 0, chosen.name)
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>Export data</h1>
      </div>
      <RefusedLink refused={[...refused, ...choice.refused]} />
      <div class="export-grid">
        <TableChoice {...{ questions, exports, chosen }} />
        <div class="stack export-settings">
          <TestsPanel {...{ study, itemId, settings, preview }} onChange={change} />
          {namesFor(settings.detector, chosen.settings).length > 0 && (
            <SettingsPanel {...sliders} listed={chosen.settings} />
          )}
        </div>
        <div class="stack export-file">
          <Await loaded={preview} what="the first rows">
            {(data) => (
              <Answer
                {...{ study, choice, formats, path, settings, methodsHref }}
                preview={data}
                isStale={!preview.isFresh}
                schema={schema.data}
              />
            )}
          </Await>
          <PackagePanel
            {...{ study, exports }}
            queryOf={(names) => queryString(calm, defaults, { itemId, format: packed, exports: names })}
            format={packed ?? csv.name}
          >
            {(listed) => <SettingsPanel {...sliders} listed={listed} />}
          </PackagePanel>
          <Await loaded={schema} what="the columns">
            {(data) => (
              <ColumnList schema={data} syntax={`/api2/studies/${study.id}/exports/${chosen.name}/schema?format=sps`} />
            )}
          </Await>
        </div>
      </div>
    </>
  )
}

type TestsPanelProps = {
  study: Study
  itemId: string | null
  settings: Settings
  preview: Loaded<Preview>
  onChange: (settings: Settings) => void
}

/** Draws the choice of the items and tests in the table, and says how many it has. */
function TestsPanel({ study, itemId, settings, preview, onChange }: TestsPanelProps) {
  const people = usePeople(study.id)
  return (
    <Panel title="Items and tests">
      <ItemChoice study={study} itemId={itemId} />
      <GradeFilter {...{ settings, onChange }} />
      <TestFilter {...{ people, settings, onChange }} problem={preview.problem} />
      {preview.data !== null && <Kept kept={preview.data.kept} />}
    </Panel>
  )
}

function Kept({ kept }: Pick<Preview, 'kept'>) {
  return (
    <p class="kept" role="status">
      {wholeText(kept.tests)} of {countOf(kept.testsTotal, 'test')} kept, of {countOf(kept.participants, 'participant')}
    </p>
  )
}

type AnswerProps = {
  study: Study
  choice: ExportChoice
  formats: FormatInfo[]
  path: string
  settings: Settings
  preview: Preview
  isStale: boolean
  schema: Schema | null
  methodsHref: string
}

/** Draws the answer to the choices: the file, its first rows, and the script lines that request it. */
function Answer({ choice, formats, path, preview, isStale, schema, methodsHref, ...of }: AnswerProps) {
  const { chosen, format } = choice
  const link = useLink()
  return (
    <>
      <Take {...{ path, preview, isStale, format, formats, methodsHref }} studyName={of.study.name} />
      {!/; (fromMs|toMs) = /.test(preview.notes) && (
        <WindowNote settings={of.settings}>
          This table covers whole recordings. Time windows apply only to tables of areas of interest.
        </WindowNote>
      )}
      <FirstRows {...{ preview, isStale }} />
      {schema !== null && link === null && (
        <ScriptLines
          url={location.origin + path}
          file={`${chosen.name}.${format.extension}`}
          format={format.name}
          isSmall={preview.isSmall}
          textColumns={textColumns(preview.columns, schema)}
        />
      )}
    </>
  )
}

/**
 * Returns the columns that hold text, including those that only this study has. Gazette's ids are never read as
 * numbers.
 */
function textColumns(columns: string[], { fields }: Schema): string[] {
  const others = fields.filter(({ type, format }) => type !== 'string' || format !== undefined)
  return columns.filter((column) => !others.some(({ name }) => name === column))
}

function ItemChoice({ study, itemId }: { study: Study; itemId: string | null }) {
  const link = useLink()
  return (
    <Choice
      id="item"
      label="Item"
      value={itemId ?? ''}
      of={itemOptions(study.items, link?.itemId == null ? 'All items' : null)}
      onChange={(value) => setQuery({ itemId: value })}
    />
  )
}
