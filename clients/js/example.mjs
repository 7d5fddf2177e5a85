// How long participants looked at each area of the first item: from the export to a figure, dwell.svg.
import { writeFileSync } from 'node:fs'
import { openGazette } from 'gazette-client'

const gazette = openGazette({ url: process.env.GAZETTE_URL, token: process.env.GAZETTE_TOKEN })
const study = await gazette.study((await gazette.studies())[0])
const areas = await gazette.rows('aoi-overall-stats', study, { parameters: { itemId: study.items[0].id } })
const bars = areas.map(({ aoi_name, aoi_fixation_average_total_time_spent_ms: ms }, i) => {
  const name = `${aoi_name}: ${ms} ms`.replace(/[&<]/g, (mark) => `&#${mark.charCodeAt(0)};`)
  return `<rect y="${i * 24}" width="${ms / 5}" height="20" fill="#9cf"/><text x="4" y="${i * 24 + 15}">${name}</text>`
})
const head = `<svg xmlns="http://www.w3.org/2000/svg" width="700" height="${24 * areas.length}" font-family="sans-serif">`
writeFileSync('dwell.svg', `${head}${bars.join('')}</svg>\n`)
