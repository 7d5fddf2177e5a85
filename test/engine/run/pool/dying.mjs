/** Ends the thread that runs it. */
export const die = () => process.exit(1)
