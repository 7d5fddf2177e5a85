import { settingsNotes } from '../../../exports/columns/notes.ts'
import type { ExportContext, TestRun } from '../../../exports/columns/test-context.ts'
import { exportOf } from '../../../exports/registry.ts'
import { printedRow } from '../../../formats/printed.ts'
import type { Plan } from '../../../model/plan.ts'
import type { Snapshot } from '../../../model/study.ts'
import { VERSION } from '../../../model/version.ts'
import { aboutDataset, BIDS_VERSION } from './sidecars.ts'

/** Folder of the data computed from the recordings, a BIDS dataset of its own. */
export const DERIVATIVES = 'derivatives/gazette'

const { columns: all, ...qualityStats } = exportOf('quality-stats')
/** Quality measures, without the columns of participant and item, which are in the file names, and without notes. */
const first = all.findIndex(({ name }) => name === 'sample_count')
const measures = all.slice(first, -1)

/**
 * Formats the quality of a test as a table: a header and one row.
 *
 * @param context of the export `fixations`, with validations
 */
export function qualityTsv(run: TestRun, context: ExportContext): string {
  if (qualityStats.kind !== 'rows') return ''
  // Measures of single eyes are not columns of this table.
  const rows = qualityStats.compute(run, { ...context, facts: { ...context.facts, eyes: [] } })!
  const cells = printedRow(rows, 0, all, false, Number.POSITIVE_INFINITY).slice(first, -1)
  const lines = [measures.map(({ name }) => name), cells.map((cell) => cell || 'n/a')]
  return lines.map((line) => `${line.join('\t')}\n`).join('')
}

/** Describes the columns of `qualityTsv`. */
export function qualitySidecar(notes: string): object {
  const described = measures.map(({ name, meaning, unit }) => [
    name,
    // Not every recording was made in a browser.
    { Description: meaning.replace('browser window', 'screen or window'), ...(unit === '' ? {} : { Units: unit }) },
  ])
  return { Description: `Data quality of a test, computed with ${notes}`, ...Object.fromEntries(described) }
}

export function derivativesDescription({ study, manifest }: Snapshot): object {
  return {
    Name: `Data quality of ${study.name || study.id}`,
    BIDSVersion: BIDS_VERSION,
    DatasetType: 'derivative',
    ...aboutDataset(study),
    GeneratedBy: [
      {
        Name: 'Gazette',
        Version: VERSION,
        Description: `quality-stats, from snapshot ${manifest.snapshotId} of study ${study.id}`,
      },
    ],
  }
}

export function derivativesReadme({ study, manifest }: Snapshot, plan: Plan): string {
  return `# Data quality of ${study.name || study.id}

Computed by Gazette ${VERSION} from the recordings in the dataset above (study ${study.id}, snapshot ${manifest.snapshotId}).

- \`sub-<label>/beh/…_desc-quality_beh.tsv\`: a row for the recording of the same name, with its sampling rate, gaps, share of lost samples,
  precision and, where targets were validated, accuracy. \`desc-quality_beh.json\` describes the columns.

Settings: ${settingsNotes(plan)}.
`
}
