import { type ExportInfo, type FormatInfo, type Preview, type Schema, type Study, useData } from '../../core/api.ts'
import { useLink } from '../../core/link-seen.ts'
import { count, countOf, isolate } from '../../core/number-texts.ts'
import { usePeople } from '../../core/people/people.ts'
import { setQuery, usePlace } from '../../core/router.ts'
import { useTitle } from '../../core/use-title.ts'
import { hasDetector, namesFor, queryString, type Settings } from '../../core/view/chart-settings.ts'
import type { Refused } from '../../core/view/chart-view.ts'
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
import { Columns } from './columns.tsx'
import { FirstRows } from './first-rows.tsx'
import { PackagePanel } from './package-panel.tsx'
import { ScriptLines } from './script-lines.tsx'
import { TableChoice } from './table-choice.tsx'
import { Take } from './take.tsx'
import './exporting.css'

export function ExportPage({ studyId }: { studyId: string }) {
  return <AwaitStudy studyId={studyId}>{(known) => <ExportView {...known} />}</AwaitStudy>
}

function ExportView({ study, catalog: { exports, questions, formats }, parameters }: KnownStudy) {
  useTitle('Export', isolate(study.name) || 'Study')
  const { query } = usePlace()
  const linkTo = useStudyLink(study.id)
  const people = usePeople(study.id)
  const chosen = exports.find(({ name }) => name === query.get('export')) ?? exports.find(isFixations) ?? exports[0]
  const known = study.items.find(({ id }) => id === query.get('itemId')?.toLowerCase())
  const itemId = known?.id ?? null
  const [csv] = formats
  const format = formats.find(({ name }) => name === query.get('format')) ?? csv
  const { settings, defaults, refused: refusedSettings, change, calm } = useSliders(parameters)
  const refused: Refused[] = [...refusedSettings]
  const refuse = (name: string, isKnown: boolean, rule: string) => {
    const value = query.get(name) ?? ''
    if (value !== '' && !isKnown) refused.push({ name, value, rule })
  }
  refuse('export', query.get('export') === chosen.name, `must be ${exports.map(({ name }) => name).join(', ')}`)
  refuse('itemId', known !== undefined, 'must be an item of the study')
  refuse('format', query.get('format') === format.name, `must be ${formats.map(({ name }) => name).join(', ')}`)

  // Settings that do not affect the export are left out of the request, as in the plan.
  const bearing = bearingOf(calm, defaults, chosen)
  const more = { itemId, format: format === csv ? null : format.name }
  const common = queryString(bearing, defaults, more)
  const ofPath = queryString(bearing, defaults, { variant: chosen.variant === 'raw' ? null : chosen.variant, ...more })
  const path = chosen.path.replace('{studyId}', study.id) + ofPath
  // Packages do not have the other formats.
  const packed = format.name === 'parquet' ? format.name : null
  const preview = useData<Preview>(`/api2/studies/${study.id}/previews/${chosen.name}${common}`, 0, chosen.name)
  const schema = useData<Schema>(chosen.schema, 0, chosen.name)
  return (
    <>
      <Crumbs study={study} />
      <div class="page-head">
        <h1>Export data</h1>
      </div>
      <RefusedLink refused={refused} />
      <div class="export-grid">
        <div class="stack">
          <TableChoice questions={questions} exports={exports} chosen={chosen} />
          <Panel title="Items and tests">
            <ItemChoice study={study} itemId={itemId} />
            <GradeFilter settings={settings} onChange={change} />
            <TestFilter people={people} settings={settings} onChange={change} problem={preview.problem} />
            {preview.data !== null && (
              <p class="kept" role="status">
                {count(preview.data.kept.tests)} of {countOf(preview.data.kept.testsTotal, 'test')} kept, of{' '}
                {countOf(preview.data.kept.participants, 'participant')}
              </p>
            )}
          </Panel>
          {namesFor(settings.detector, chosen.settings).length > 0 && (
            <SettingsPanel
              parameters={parameters}
              settings={settings}
              defaults={defaults}
              listed={chosen.settings}
              onChange={change}
            />
          )}
        </div>
        <div class="stack">
          <Await loaded={preview} what="the first rows">
            {(data) => (
              <Answer
                {...{ study, chosen, format, formats, path, settings }}
                preview={data}
                isStale={!preview.isFresh}
                schema={schema.data}
                methodsHref={linkTo('', { itemId })}
              />
            )}
          </Await>
          <PackagePanel
            studyId={study.id}
            studyName={study.name}
            queryOf={(names) => queryString(calm, defaults, { itemId, format: packed, exports: names })}
            format={packed ?? csv.name}
            exports={exports}
          >
            {(listed) => (
              <SettingsPanel
                parameters={parameters}
                settings={settings}
                defaults={defaults}
                listed={listed}
                onChange={change}
              />
            )}
          </PackagePanel>
          <Await loaded={schema} what="the columns">
            {(data) => (
              <Columns schema={data} syntax={`/api2/studies/${study.id}/exports/${chosen.name}/schema?format=sps`} />
            )}
          </Await>
        </div>
      </div>
    </>
  )
}

type AnswerProps = {
  study: Study
  chosen: ExportInfo
  format: FormatInfo
  formats: FormatInfo[]
  path: string
  settings: Settings
  preview: Preview
  isStale: boolean
  schema: Schema | null
  methodsHref: string
}

/** Draws the answer to the choices: the file, its first rows, and the script lines that request it. */
function Answer({
  study,
  chosen,
  format,
  formats,
  path,
  settings,
  preview,
  isStale,
  schema,
  methodsHref,
}: AnswerProps) {
  const link = useLink()
  return (
    <>
      <Take {...{ path, preview, isStale, format, formats, methodsHref }} studyName={study.name} />
      {!/; (fromMs|toMs) = /.test(preview.notes) && (
        <WindowNote settings={settings}>
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

/** Removes settings that do not affect an export. */
function bearingOf(settings: Settings, defaults: Settings, { settings: listed }: ExportInfo): Settings {
  const names: string[] = [
    ...namesFor(settings.detector, listed),
    'participantQualityGradeItemMin',
    'filter',
    'analysis',
    'eye',
    'fromMs',
    'toMs',
  ]
  if (hasDetector(listed)) names.push('detector', 'maxFixationDurationMs')
  const kept = Object.entries(settings).filter(([name]) => names.includes(name))
  return { ...defaults, ...Object.fromEntries(kept) }
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

function isFixations({ name }: ExportInfo): boolean {
  return name === 'fixations'
}
