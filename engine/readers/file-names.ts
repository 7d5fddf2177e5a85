/** The last part of a path, without its endings: who a recording is of, where nothing in it says so. */
export function stemOf(name: string): string {
  return name.replace(/^.*\//, '').replace(/(\.[a-z0-9]{1,5})+$/i, '')
}

/** The folder of a path, '' for none. */
export function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')))
}
