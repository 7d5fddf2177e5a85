// The page of the benchmark: a table and a picture for each task.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TOOLS } from './tasks.mjs'

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url))

/** Returns the page; with `isKept`, writes it, and its pictures. */
export async function writePage(results, about, { isKept }) {
  const text = [...head(about), ...results.flatMap(section), ...tools(results, about), ''].join('\n')
  if (!isKept) return text
  await mkdir(join(DOCS, 'benchmark'), { recursive: true })
  for (const { task, measured } of results)
    await writeFile(join(DOCS, 'benchmark', `${task.name}.svg`), picture(task, measured))
  await writeFile(join(DOCS, 'benchmark.md'), text)
  return text
}

function head({ samples, participants, items, seconds, hz, runs }) {
  const [{ model }] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    '# Benchmark',
    '',
    'What a lab does with its samples, by Gazette and by what it would use instead. Each is a whole process, from files on',
    'disk to a file on disk, so starting counts. `npm run benchmark` measures it again and writes this page; what is not',
    'installed is left out. Where all tools make the same table, nothing is written unless they made as many rows, with the',
    'same sum of a column, as Gazette.',
    '',
    ...wrapped(
      `Measured on ${cpus().length} cores (${model.trim()}), ${memory} GiB, Node ${process.versions.node}: a study of ${participants} participants who look at ${items} images for ${seconds} s each, at ${hz} Hz, which makes ${samples.toLocaleString('en')} samples. Median of ${runs} runs in turn; the most memory that the process held.`,
    ),
    '',
  ]
}

function section({ task, measured }) {
  const keys = Object.keys(measured).sort((a, b) => measured[a].seconds - measured[b].seconds)
  const { seconds: ours } = measured.gazette
  const hasRows = keys.some((key) => measured[key].rows !== null)
  const rows = keys.map((key) => {
    const { seconds, peakBytes, rows: count } = measured[key]
    const cells = [TOOLS[key].name, secondsText(seconds), `${(seconds / ours).toFixed(2)} ×`]
    return [...cells, `${Math.round(peakBytes / 2 ** 20)} MiB`, ...(hasRows ? [count.toLocaleString('en')] : [])]
  })
  const columns = ['tool', 'time', 'of the time of Gazette', 'memory', ...(hasRows ? ['rows'] : [])]
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [
    `## ${task.title}`,
    '',
    ...wrapped(task.text),
    '',
    `![${task.title}: seconds of each tool](benchmark/${task.name}.svg)`,
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map(line),
    '',
  ]
}

function tools(results, { versions }) {
  const used = new Set(results.flatMap(({ measured }) => Object.keys(measured)))
  const rows = Object.entries(TOOLS)
    .filter(([key]) => key !== 'gazette' && used.has(key))
    .map(
      ([key, { name, from, script }]) =>
        `| ${name} | ${versions[key]} | ${from} | [${script}](../test/bench/others/${script}) |`,
    )
  return [
    '## Tools and scripts',
    '',
    ...wrapped(
      'Each script is what a user of the tool would write, and all of it; [tasks.mjs](../test/bench/others/tasks.mjs) has the commands of Gazette. We found no package in Debian 12 that detects fixations, so the scripts in Python and R are ours.',
    ),
    '',
    '| tool | version | from | script |',
    '|---|---|---|---|',
    ...rows,
  ]
}

/** Lines of at most 120 characters. */
function wrapped(text) {
  const lines = ['']
  for (const word of text.split(' ')) {
    if (lines.at(-1).length + word.length > 119) lines.push('')
    lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ' '}${word}`
  }
  return lines
}

const secondsText = (seconds) => (seconds >= 10 ? `${seconds.toFixed(0)} s` : `${seconds.toFixed(2)} s`)

const [LABEL_PX, BAR_PX, ROW_PX, VALUE_PX] = [150, 420, 28, 70]

/** Bars, the fastest first; readable on light and on dark paper. */
function picture({ title }, measured) {
  const keys = Object.keys(measured).sort((a, b) => measured[a].seconds - measured[b].seconds)
  const most = Math.max(...keys.map((key) => measured[key].seconds))
  const height = keys.length * ROW_PX + 8
  const bars = keys.map((key, i) => {
    const { seconds } = measured[key]
    const [y, width] = [i * ROW_PX + 4, Math.max(1, (seconds / most) * BAR_PX)]
    const color = key === 'gazette' ? '#1f6feb' : '#8b949e'
    const text = (x, anchor, words) =>
      `<text x="${x}" y="${y + 15}" text-anchor="${anchor}" fill="#1f2328">${words}</text>`
    return `${text(LABEL_PX - 8, 'end', TOOLS[key].name)}<rect x="${LABEL_PX}" y="${y}" width="${width.toFixed(1)}" height="20" fill="${color}"/>${text(LABEL_PX + width + 6, 'start', secondsText(seconds))}`
  })
  const width = LABEL_PX + BAR_PX + VALUE_PX
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="13" role="img"><title>${title}: seconds of each tool</title><rect width="100%" height="100%" fill="#ffffff"/>${bars.join('')}</svg>\n`
}
