/** Reads AOIs that an address names by their numbers, as `1.3`; null if one of these is wrong, or comes twice. */
export function readPlaces(text: string, aoiCount: number): number[] | null {
  const places = text.split('.').map((part) => (/^[1-9]\d{0,5}$/.test(part) ? Number(part) - 1 : -1))
  const isFine = places.every((a) => a >= 0 && a < aoiCount) && new Set(places).size === places.length
  return isFine ? places.sort((one, other) => one - other) : null
}

/** Writes AOIs by their numbers, as an address names them. */
export function placesText(places: number[]): string {
  return places.map((place) => place + 1).join('.')
}
