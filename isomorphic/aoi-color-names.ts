/** Names of the colours that AOIs may have, in the order in which AOIs without a chosen one get them. */
export const AOI_COLOR_NAMES = ['blue', 'coral', 'green', 'lilac', 'ochre', 'violet', 'mint', 'red'] as const
export type AoiColorName = (typeof AOI_COLOR_NAMES)[number]
