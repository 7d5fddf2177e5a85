export type Rgb = [r: number, g: number, b: number]

/**
 * Returns the colours between some, which a uniform cubic B-spline passes near, as interpolateRgbBasis of d3 does.
 *
 * @param hexes at least two colours, such as "#deebf7"
 * @returns the colour of a share, 0 to 1
 */
export function colorSpline(hexes: readonly string[]): (share: number) => Rgb {
  const colors = hexes.map(rgbOfHex)
  return (share) => {
    const i = Math.min(Math.floor(share * (colors.length - 1)), colors.length - 2)
    const t = (share - i / (colors.length - 1)) * (colors.length - 1)
    return [0, 1, 2].map((channel) => {
      const at = (index: number) => colors[index][channel]
      const before = i > 0 ? at(i - 1) : 2 * at(i) - at(i + 1)
      const after = i < colors.length - 2 ? at(i + 2) : 2 * at(i + 1) - at(i)
      return Math.max(0, Math.min(255, Math.round(basis(t, before, at(i), at(i + 1), after))))
    }) as Rgb
  }
}

/** Returns the cubic B-spline of four values at `t`, 0 to 1 between the second and the third. */
function basis(t: number, v0: number, v1: number, v2: number, v3: number): number {
  const t2 = t * t
  const t3 = t2 * t
  return (
    ((1 - 3 * t + 3 * t2 - t3) * v0 + (4 - 6 * t2 + 3 * t3) * v1 + (1 + 3 * t + 3 * t2 - 3 * t3) * v2 + t3 * v3) / 6
  )
}

export function rgbOfHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}
