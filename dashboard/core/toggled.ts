/** Toggles an entry of a list; a new entry comes last. */
export function toggled<Entry>(list: Entry[], entry: Entry): Entry[] {
  return list.includes(entry) ? list.filter((each) => each !== entry) : [...list, entry]
}
