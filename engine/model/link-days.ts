/** Lifetime of a link in days. In a file of its own, since `gazette --help` names it: schemas take longer to load. */
export const LINK_DAYS = { min: 1, max: 365, default: 7 }
