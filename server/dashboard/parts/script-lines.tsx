import { useState } from 'preact/hooks'
import type { FormatInfo } from '../api.ts'
import { Scrolling } from './scrolling.tsx'

/** What reads a file of each format. */
const READERS: Record<string, { Python: string; R: string }> = {
  csv: { Python: 'pandas.read_csv(FILE)', R: 'read.csv(FILE)' },
  ndjson: { Python: 'pandas.read_json(FILE, lines=True)', R: 'jsonlite::stream_in(file(FILE))' },
  arrow: { Python: 'pandas.read_feather(FILE)', R: 'arrow::read_feather(FILE)' },
  parquet: { Python: 'pandas.read_parquet(FILE)', R: 'arrow::read_parquet(FILE)' },
}

/** Returns the lines that fetch the same file. The token is named, never shown: it comes from the environment. */
function linesFor(url: string, file: string, format: FormatInfo, isSmall: boolean): Record<string, string> {
  const curl = `curl -f -H "X-AUTH-TOKEN: $GAZETTE_TOKEN" -o ${file} \\\n  '${url}'`
  if (isSmall && format.name === 'csv')
    return {
      curl,
      Python: `import os, pandas\ntable = pandas.read_csv(\n    '${url}',\n    storage_options={'X-AUTH-TOKEN': os.environ['GAZETTE_TOKEN']})`,
      R: `table <- read.csv(url(\n  '${url}',\n  headers = c("X-AUTH-TOKEN" = Sys.getenv("GAZETTE_TOKEN"))))`,
    }
  const { Python, R } = READERS[format.name]
  return {
    curl: isSmall
      ? curl
      : `while [ "$(curl -s -H "X-AUTH-TOKEN: $GAZETTE_TOKEN" -o ${file} -w '%{http_code}' \\\n  '${url}')" = 202 ]; do sleep 2; done`,
    Python: `import os, time, pandas, requests\nheaders = {'X-AUTH-TOKEN': os.environ['GAZETTE_TOKEN']}\nwhile (answer := requests.get('${url}', headers=headers)).status_code == 202:\n    time.sleep(2)\nanswer.raise_for_status()\nopen('${file}', 'wb').write(answer.content)\ntable = ${Python.replace('FILE', `'${file}'`)}`,
    R: `library(httr2)\nask <- request('${url}') |>\n  req_headers("X-AUTH-TOKEN" = Sys.getenv("GAZETTE_TOKEN"))\nwhile (resp_status(answer <- req_perform(ask)) == 202) Sys.sleep(2)\nwriteBin(resp_body_raw(answer), '${file}')\ntable <- ${R.replace('FILE', `'${file}'`)}`,
  }
}

/** Draws how a script gets the file that the page shows: in curl, Python and R. */
export function ScriptLines({
  path,
  name,
  format,
  isSmall,
}: {
  path: string
  name: string
  format: FormatInfo
  isSmall: boolean
}) {
  const [language, setLanguage] = useState('curl')
  const [done, setDone] = useState(false)
  const lines = linesFor(location.origin + path, `${name}.${format.extension}`, format, isSmall)
  const copy = async () => {
    await navigator.clipboard.writeText(lines[language]).catch(() => {})
    setDone(true)
    window.setTimeout(() => setDone(false), 2000)
  }
  return (
    <section class="card panel" aria-labelledby="lines">
      <div class="panel-head">
        <h2 id="lines">The same by script</h2>
        <fieldset class="row chips">
          <legend class="unseen">Language</legend>
          {Object.keys(lines).map((name) => (
            <label key={name} class="chip">
              <input type="radio" name="language" checked={name === language} onChange={() => setLanguage(name)} />
              {name}
            </label>
          ))}
        </fieldset>
        <button type="button" class="small" onClick={copy}>
          {done ? 'Copied' : 'Copy'}
        </button>
      </div>
      <Scrolling class="code" label={`${language} lines`}>
        <pre>
          <code>{lines[language]}</code>
        </pre>
      </Scrolling>
      <p class="hint">
        Put your token into the environment as <code>GAZETTE_TOKEN</code>.
      </p>
    </section>
  )
}
