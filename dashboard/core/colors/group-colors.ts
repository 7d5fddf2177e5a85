/** Colours of groups, safe for every colour vision deficiency. The first two are the ends of the difference scale. */
export const GROUP_COLORS = ['#b35806', '#542788', '#1b7837', '#2166ac']
export const GROUP_COLORS_DARK = ['#fdb863', '#b2abd2', '#7fbf7b', '#67a9cf']
