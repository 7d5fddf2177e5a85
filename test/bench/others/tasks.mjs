// What is compared: tasks of a lab, each with what its user would type or write in each tool.
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const script = (name) => `${HERE}${name}`

/** A tool: how it shows its version, and how a script of its runs. `null` where it is not on this machine. */
export const TOOLS = {
  gazette: { name: 'Gazette' },
  duckdb: {
    name: 'DuckDB',
    from: 'npm: `@duckdb/node-api`, which Gazette has',
    script: 'with-duckdb.mjs',
    command: (task, folder, output) => [process.execPath, script('with-duckdb.mjs'), task, folder, output],
    version: [
      process.execPath,
      ['-p', "require('@duckdb/node-api/package.json').version.replace('-r.', ', release ')"],
    ],
  },
  polars: {
    name: 'Polars',
    from: 'npm: `npm install --prefix FOLDER nodejs-polars`, and `POLARS=FOLDER`',
    script: 'with-polars.mjs',
    command: (task, folder, output) => [
      process.execPath,
      script('with-polars.mjs'),
      task,
      folder,
      output,
      process.env.POLARS,
    ],
    version: [
      process.execPath,
      [
        '-p',
        `require(require('node:path').resolve('${process.env.POLARS}', 'node_modules/nodejs-polars/package.json')).version`,
      ],
    ],
  },
  pandas: {
    name: 'pandas',
    from: 'Debian: `python3-pandas`',
    script: 'with_pandas.py',
    command: (task, folder, output) => ['/usr/bin/python3', script('with_pandas.py'), task, folder, output],
    version: ['/usr/bin/python3', ['-c', 'import pandas; print(pandas.__version__)']],
  },
  dataTable: {
    name: 'data.table',
    from: 'Debian: `r-cran-data.table`',
    script: 'with-data-table.R',
    command: (task, folder, output) => ['Rscript', script('with-data-table.R'), task, folder, output],
    version: ['Rscript', ['-e', "cat(as.character(packageVersion('data.table')))"]],
  },
  python: {
    name: 'a script in Python',
    from: 'Debian: `python3-pandas`',
    script: 'idt.py',
    command: (_, folder, output) => ['/usr/bin/python3', script('idt.py'), ...dispersion(folder, output)],
    version: [
      '/usr/bin/python3',
      ['-c', 'import platform, numpy; print(platform.python_version() + ", numpy", numpy.__version__)'],
    ],
  },
  r: {
    name: 'a script in R',
    from: 'Debian: `r-base-core`',
    script: 'idt.R',
    command: (_, folder, output) => ['Rscript', script('idt.R'), ...dispersion(folder, output)],
    version: ['Rscript', ['-e', 'cat(as.character(getRversion()))']],
  },
}

const THRESHOLD_PERCENT = 3
const LEAST_MS = 80
const dispersion = (folder, output) => [
  ...[`${folder}/samples.csv`, `${folder}/tests.csv`, output],
  ...[THRESHOLD_PERCENT, LEAST_MS].map(String),
]

const QUESTION =
  'SELECT participant_id, item_id, count(*) AS samples, count(gaze_x_px) AS valid, avg(gaze_x_px) AS mean_x_px FROM samples JOIN tests USING (test_ordinal) GROUP BY ALL ORDER BY ALL'

/**
 * A task: its arguments of `gazette`, its other tools, and what must be equal in what all of them make: the number of
 * rows, and the sum of a column.
 */
export const TASKS = [
  {
    name: 'bring',
    title: 'Bring recordings in',
    text: 'From one CSV of samples to columns on disk, sorted by test and time. Gazette also checks every value, reads participants and tests, and writes a snapshot with checksums; pandas writes a pickle and data.table an RDS file, which only they read.',
    gazette: ({ bundle }) => ['import', bundle],
    others: ['duckdb', 'polars', 'pandas', 'dataTable'],
    equal: null,
  },
  {
    name: 'rows',
    title: 'A row for each sample, as CSV',
    text: 'All samples with their test, item and participant, and gaze in percent of the item: 20 columns, of Gazette 26.',
    gazette: ({ studyId, output }) => ['export', 'samples', '--study', studyId, '--output', output, '--force'],
    others: ['duckdb', 'polars', 'pandas', 'dataTable'],
    equal: 'gaze_x_percents',
  },
  {
    name: 'parquet',
    title: 'The same as Parquet',
    text: 'pandas and data.table of Debian write none.',
    gazette: ({ studyId, output }) => [
      ...['export', 'samples', '--study', studyId, '--format', 'parquet', '--output', output, '--force'],
    ],
    others: ['duckdb', 'polars'],
    equal: 'gaze_x_percents',
  },
  {
    name: 'question',
    title: 'One question over all samples',
    text: 'Samples, valid samples and mean position of each participant on each item. Gazette runs the query by DuckDB, in a process of its own whose memory and time are limited.',
    gazette: ({ studyId, output }) => ['sql', '--study', studyId, QUESTION, '--output', output, '--force'],
    others: ['duckdb', 'polars', 'pandas', 'dataTable'],
    equal: 'mean_x_px',
  },
  {
    name: 'fixations',
    title: 'Fixations by dispersion',
    text: 'I-DT as Salvucci and Goldberg published it (3 % of the item, 80 ms). The scripts read CSV, and neither denoise nor interpolate, so they find other fixations than Gazette.',
    gazette: ({ studyId, output }) => [
      ...['export', 'fixations', '--study', studyId, '--detector', 'dispersion'],
      ...['--dispersion-threshold-percent', String(THRESHOLD_PERCENT), '--output', output, '--force'],
    ],
    others: ['python', 'r'],
    equal: null,
  },
]
