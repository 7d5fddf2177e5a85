/**
 * Serializes a body that is not a table so that no CSV reader accepts it: the first line has one field of CSV, the
 * second two, the third more. `pandas.read_csv` and R's `read.csv` refuse that; JSON on one line would be a table
 * without rows.
 *
 * @param body with at least four members
 */
export function loudJson(body: object): string {
  const [[name, value], ...rest] = Object.entries(body).filter(([, each]) => each !== undefined)
  return `{\n${JSON.stringify(name)}:${JSON.stringify(value)},\n${JSON.stringify(Object.fromEntries(rest)).slice(1)}\n`
}
