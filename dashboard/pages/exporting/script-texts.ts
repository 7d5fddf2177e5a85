/** Export as a script requests it. */
export type Wanted = {
  url: string
  /** Name of the file, safe in a shell. */
  file: string
  format: string
  /** True if the export is answered at once. */
  isSmall: boolean
  /** Names of text columns, so that ids of digits and names such as NA keep their text. */
  textColumns: string[]
}

/**
 * Returns the lines that download and read an export, for each language. Each stops with an error if the token is
 * refused, the job fails, or the download breaks off. A large file is streamed to disk. The token comes from the
 * environment and is never printed.
 */
export function scriptTexts(wanted: Wanted): Record<'curl' | 'Python' | 'R', string> {
  const { isSmall } = wanted
  return { curl: curlText(wanted), Python: isSmall ? smallPython(wanted) : largePython(wanted), R: rText(wanted) }
}

function curlText({ url, file }: Wanted): string {
  return `# 202 is a job that is not done: ask again.
while code=$(curl -fsS -H "X-AUTH-TOKEN: $GAZETTE_TOKEN" -H 'Prefer: wait=60' \\
  -o ${file}.part -w '%{http_code}' '${url}') && [ "$code" = 202 ]
do sleep 1; done
[ "$code" = 200 ] && mv ${file}.part ${file}`
}

/** Returns the pandas call that reads `source`, the text of an argument. */
function pandasCall(source: string, { format, textColumns }: Wanted): string {
  const quoted = textColumns.map((name) => `'${escaped(name)}'`).join(', ')
  const calls: Record<string, string> = {
    csv: `text = dict.fromkeys([${quoted}], str)\ntable = pandas.read_csv(${source}, dtype=text, keep_default_na=False, na_values=[''])`,
    ndjson: `table = pandas.read_json(${source}, lines=True, dtype=False, convert_dates=False)`,
    arrow: `table = pandas.read_feather(${source})`,
  }
  return calls[format] ?? `table = pandas.read_parquet(${source})`
}

function smallPython(wanted: Wanted): string {
  return `import os, pandas
url = '${wanted.url}'
headers = {'X-AUTH-TOKEN': os.environ['GAZETTE_TOKEN']}
${pandasCall('url, storage_options=headers', wanted)}`
}

function largePython(wanted: Wanted): string {
  const { url, file } = wanted
  return `import os, pandas, shutil, time, urllib.request
url = '${url}'
headers = {'X-AUTH-TOKEN': os.environ['GAZETTE_TOKEN'], 'Prefer': 'wait=60'}
while (answer := urllib.request.urlopen(urllib.request.Request(url, headers=headers))).status == 202:
    time.sleep(1)
with open('${file}.part', 'wb') as part:
    shutil.copyfileobj(answer, part)
    if part.tell() != int(answer.headers['Content-Length']):
        raise OSError('the download broke off')
os.replace('${file}.part', '${file}')
${pandasCall(`'${file}'`, wanted)}`
}

function rText(wanted: Wanted): string {
  const { url, file } = wanted
  return `options(timeout = 86400)
repeat {
  download.file('${url}',
    '${file}.part', mode = 'wb', quiet = TRUE,
    headers = c("X-AUTH-TOKEN" = Sys.getenv("GAZETTE_TOKEN"), Prefer = "wait=60"))
  # What begins like this is a job that is not done.
  if (!identical(readChar('${file}.part', 2, useBytes = TRUE), "{\\n")) break
}
invisible(file.rename('${file}.part', '${file}'))
${rCall(wanted)}`
}

function rCall({ file, format, textColumns }: Wanted): string {
  const classes = textColumns.map((name) => `'${escaped(name)}' = 'character'`).join(', ')
  const calls: Record<string, string> = {
    csv: `table <- read.csv('${file}', na.strings = '', check.names = FALSE,\n  colClasses = c(${classes}))`,
    ndjson: `table <- jsonlite::stream_in(file('${file}'))`,
    arrow: `table <- arrow::read_feather('${file}')`,
  }
  return calls[format] ?? `table <- arrow::read_parquet('${file}')`
}

function escaped(text: string): string {
  return text.replace(/[\\']/g, (character) => `\\${character}`)
}
