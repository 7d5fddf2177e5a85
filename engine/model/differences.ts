/** Differences between studies that make their rows hard to compare. */
export const DIFFERENCES = ['screens', 'rates', 'pupils', 'items', 'aois', 'settings'] as const
export type Difference = (typeof DIFFERENCES)[number]
