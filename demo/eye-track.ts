/**
 * A path in the plane: stops, each held from `arriveMs` to `leaveMs`, with movements of least jerk between them (Flash
 * and Hogan, 1985). Eyes, hands and scrolling all move like this.
 */
export type Track = { arriveMs: number[]; leaveMs: number[]; x: number[]; y: number[] }

export function createTrack(): Track {
  return { arriveMs: [], leaveMs: [], x: [], y: [] }
}

/** Adds a stop after all others; the last stop is never left. */
export function addStop(track: Track, arriveMs: number, leaveMs: number, x: number, y: number): void {
  track.arriveMs.push(arriveMs)
  track.leaveMs.push(leaveMs)
  track.x.push(x)
  track.y.push(y)
}

/**
 * Returns the share of the way covered after a share of the time.
 *
 * @param share 0 to 1
 * @returns 0 to 1; the velocity is 0 at both ends and 1.875 times the mean half way
 */
export function minimumJerk(share: number): number {
  return share * share * share * (10 + share * (6 * share - 15))
}

/** A position on a track, which only moves forward in time. */
type TrackReader = { x: number; y: number; moveTo: (tMs: number) => void }

/** Reads a track: `x` and `y` are where the last `moveTo` went; its times must not go back. */
export function readTrack({ arriveMs, leaveMs, x, y }: Track): TrackReader {
  const last = x.length - 1
  let stop = 0
  const reader: TrackReader = { x: x[0], y: y[0], moveTo }
  function moveTo(tMs: number): void {
    while (stop < last && tMs >= arriveMs[stop + 1]) stop++
    const fromMs = leaveMs[stop]
    if (stop === last || tMs <= fromMs) {
      reader.x = x[stop]
      reader.y = y[stop]
    } else {
      const share = minimumJerk((tMs - fromMs) / (arriveMs[stop + 1] - fromMs))
      reader.x = x[stop] + (x[stop + 1] - x[stop]) * share
      reader.y = y[stop] + (y[stop + 1] - y[stop]) * share
    }
  }
  return reader
}
