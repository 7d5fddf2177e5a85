/** Colours as people see them: simulated deficiencies, lightness, and differences. */

type Triple = [number, number, number]

/** Machado, Oliveira and Fernandes (2009), severity 1.0, on linear sRGB. */
const DEFICIENCIES: Record<string, Triple[]> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}
export const VISIONS = ['full colour vision', ...Object.keys(DEFICIENCIES)]

/** CIELAB (D65) of a colour as somebody with that vision sees it. */
export function labOf(hex: string, vision = VISIONS[0]): Triple {
  const linear = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as Triple
  const [r, g, b] = DEFICIENCIES[vision]?.map((row) => Math.min(1, Math.max(0, dot(row, linear)))) ?? linear
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116)
  const x = f(dot([0.4124564, 0.3575761, 0.1804375], [r, g, b]) / 0.95047)
  const y = f(dot([0.2126729, 0.7151522, 0.072175], [r, g, b]))
  const z = f(dot([0.0193339, 0.119192, 0.9503041], [r, g, b]) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

function dot(one: Triple, other: Triple): number {
  return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
}

const RADIANS = Math.PI / 180

/** CIEDE2000, after Sharma, Wu and Dalal (2005). */
export function difference([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const meanC = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2
  const g = 0.5 * (1 - Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)))
  const [x1, x2] = [a1 * (1 + g), a2 * (1 + g)]
  const [c1, c2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)]
  const hue = (x: number, b: number) => (x === 0 && b === 0 ? 0 : (Math.atan2(b, x) / RADIANS + 360) % 360)
  const [h1, h2] = [hue(x1, b1), hue(x2, b2)]
  const isGrey = c1 * c2 === 0
  const turn = isGrey ? 0 : ((h2 - h1 + 540) % 360) - 180
  const far = Math.abs(h1 - h2) > 180
  const h = isGrey ? h1 + h2 : far ? (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2 : (h1 + h2) / 2
  const l = (l1 + l2) / 2
  const c = (c1 + c2) / 2
  const t =
    1 -
    0.17 * Math.cos((h - 30) * RADIANS) +
    0.24 * Math.cos(2 * h * RADIANS) +
    0.32 * Math.cos((3 * h + 6) * RADIANS) -
    0.2 * Math.cos((4 * h - 63) * RADIANS)
  const dL = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2))
  const dC = (c2 - c1) / (1 + 0.045 * c)
  const dH = (2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * RADIANS)) / (1 + 0.015 * c * t)
  const spin = 60 * Math.exp(-(((h - 275) / 25) ** 2)) * RADIANS
  const rotation = -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * Math.sin(spin)
  return Math.sqrt(dL ** 2 + dC ** 2 + dH ** 2 + rotation * dC * dH)
}
