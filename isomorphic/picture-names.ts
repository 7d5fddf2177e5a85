/** Returns whether a filename is that of a picture, of the formats that browsers show. */
export function isShownPicture(filename: string): boolean {
  return /\.(svg|png|jpe?g|gif|webp|avif)$/i.test(filename)
}

/** Returns whether a filename is that of a video, of the formats that the server accepts. */
export function isShownVideo(filename: string): boolean {
  return /\.(mp4|m4v|webm)$/i.test(filename)
}
