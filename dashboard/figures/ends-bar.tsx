import type { Colors } from '../core/colors/theme.ts'
import { result } from '../core/number-texts.ts'
import { Drawing } from '../ui/chart/drawing.tsx'
import { Words } from '../ui/chart/words.tsx'
import { ColorSteps } from './color-steps.tsx'

const BAR_PX = 240

type EndsBarProps = {
  ends: [least: number, greatest: number]
  what: string
  colorAt: (share: number, isDark: boolean) => string
  colors: Colors
}

/** Draws the colour bar of values between two ends. @param what name of the values, with their unit */
export function EndsBar({ ends: [least, greatest], what, colorAt, colors }: EndsBarProps) {
  return (
    <Drawing
      {...{ colors }}
      class="color-bar"
      width={320}
      height={50}
      label={`Colours from ${result(least)} to ${result(greatest)}: ${what}`}
    >
      <ColorSteps steps={24} width={BAR_PX} colorAt={(share) => colorAt(share, colors.isDark)} />
      <Words y={29}>{result(least)}</Words>
      <Words x={BAR_PX} y={29} anchor="end">
        {result(greatest)}
      </Words>
      <Words y={45} isMuted>
        {what}
      </Words>
    </Drawing>
  )
}
