import { displaySizes } from '../../engine/analysis/charts/shown-size.ts'
import type { Item, Snapshot } from '../../engine/model/study.ts'
import { haveSameShape, type Size, sizeText } from '../../isomorphic/same-shape.ts'

/**
 * Size in which an item was shown, null if unknown, and the reason why gaze cannot be drawn on a picture, null if it
 * can.
 */
type PictureFit = {
  shown: Size | null
  misfit: string | null
  /** True if tests show the item with different aspect ratios, since it has no size and their windows differed. */
  isVaried: boolean
}

/**
 * Compares a picture with the size in which its item was shown. Gaze is in percent of that size, so it would lie in
 * wrong places on a picture with another aspect ratio.
 *
 * @param picture null if its size is unknown
 */
export async function fitOf(snapshot: Snapshot, item: Item, picture: Size | null): Promise<PictureFit> {
  const { widthPx, heightPx } = item
  if (widthPx !== null && heightPx !== null) {
    const shown = { widthPx, heightPx }
    if (picture === null || haveSameShape(shown, picture)) return { shown, misfit: null, isVaried: false }
    const misfit = `The item is ${sizeText(shown)}, and the picture, ${sizeText(picture)}, has another shape, so gaze would lie in wrong places on it.`
    return { shown, misfit, isVaried: false }
  }
  const sizes = await displaySizes(snapshot, item)
  if (sizes.length === 0) return { shown: null, misfit: null, isVaried: false }
  const [{ widthPx: width, heightPx: height }] = sizes
  const shown = { widthPx: width, heightPx: height }
  const isVaried = sizes.some((size) => !haveSameShape(size, shown))
  const others = picture === null ? [] : sizes.filter((size) => !haveSameShape(size, picture))
  if (picture === null || others.length === 0) return { shown, misfit: null, isVaried }
  const [other] = others
  const misfit = `The item has no size in the study, and tests show it in ${sizeText(other)}, where the picture, ${sizeText(picture)}, has another shape, so gaze would lie in wrong places on it.`
  return { shown, misfit, isVaried }
}
