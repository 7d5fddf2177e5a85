/** Most events of a test that charts mark: the first ones. */
export const EVENTS_SHOWN_MAX = 100
