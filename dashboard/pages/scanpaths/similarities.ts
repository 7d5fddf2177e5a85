import type { ScanpathsData } from '../../core/api.ts'
import type { Numbers } from '../../core/numbers-csv.ts'

export type Pair = ScanpathsData['pairs'][number]
export type ComparedScanpath = ScanpathsData['scanpaths'][number]

/** Similarity of two scanpaths, its name on the page, and its column in the table of the analysis. */
export const SIMILARITIES = {
  levenshteinSimilarity: { name: 'Levenshtein similarity of AOI strings', column: 'levenshtein_similarity' },
  needlemanWunsch: { name: 'Needleman–Wunsch score of AOI strings', column: 'needleman_wunsch' },
  vector: { name: 'MultiMatch: shape', column: 'multimatch_vector' },
  direction: { name: 'MultiMatch: direction', column: 'multimatch_direction' },
  length: { name: 'MultiMatch: length', column: 'multimatch_length' },
  position: { name: 'MultiMatch: position', column: 'multimatch_position' },
  duration: { name: 'MultiMatch: duration', column: 'multimatch_duration' },
} as const
export type SimilarityName = keyof typeof SIMILARITIES
export const SIMILARITY_NAMES = Object.keys(SIMILARITIES) as SimilarityName[]

export type PathOrder = 'similarity' | 'name'

/**
 * Returns the indexes of scanpaths in the order of a matrix: of the names of their participants, or of their mean
 * similarity to the others, the most similar first and those without one last.
 *
 * @param places place of each participant among the names, by id
 */
export function orderOf(
  scanpaths: ComparedScanpath[],
  order: PathOrder,
  of: SimilarityName,
  places: Map<string, number>,
): number[] {
  const placeOf = (s: number) => places.get(scanpaths[s].participantId) ?? Number.POSITIVE_INFINITY
  const similarityOf = (s: number) => scanpaths[s].means[of] ?? Number.NEGATIVE_INFINITY
  const byMean = (one: number, other: number) =>
    order === 'name' || similarityOf(one) === similarityOf(other) ? 0 : similarityOf(other) - similarityOf(one)
  const byPlace = (one: number, other: number) =>
    placeOf(one) === placeOf(other) ? one - other : placeOf(one) - placeOf(other)
  return [...scanpaths.keys()].sort((one, other) => byMean(one, other) || byPlace(one, other))
}

/** Returns the similarities of pairs by row and column of a matrix in an order; null where there is none. */
export function cellsOf(pairs: Pair[], order: number[], of: SimilarityName): (number | null)[][] {
  const placeOf = new Int32Array(order.length)
  for (const [place, s] of order.entries()) placeOf[s] = place
  const cells = order.map((_, row) => Array<number | null>(row).fill(null))
  for (const pair of pairs) {
    const [one, other] = [placeOf[pair.first], placeOf[pair.second]]
    cells[Math.max(one, other)][Math.min(one, other)] = pair[of]
  }
  return cells
}

/** Returns a row for each pair, with all similarities. */
export function pairNumbers({ scanpaths, pairs }: ScanpathsData, nameOf: (s: number) => string): Numbers {
  return {
    columns: [
      ...['participant_1', 'participant_2', 'fixation_count_1', 'fixation_count_2', 'aoi_string_1', 'aoi_string_2'],
      'levenshtein',
      ...SIMILARITY_NAMES.map((name) => SIMILARITIES[name].column),
    ],
    rows: pairs.map((pair) => [
      ...[pair.first, pair.second].map(nameOf),
      ...[pair.first, pair.second].map((s) => scanpaths[s].fixations),
      ...[pair.first, pair.second].map((s) => scanpaths[s].aoiString),
      pair.levenshtein,
      ...SIMILARITY_NAMES.map((name) => pair[name]),
    ]),
  }
}
