/** A part of the document: plain JSON. */
export type Json = { [key: string]: unknown }
