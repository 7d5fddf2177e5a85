import { useInks } from '../ui/chart/drawing.tsx'

const HEIGHT = 13

type ColorStepsProps = { steps: number; y?: number; width: number; colorAt: (share: number) => string }

/**
 * Draws the colours of a scale from one end to the other, in steps within a frame.
 *
 * @param colorAt returns the colour of a share, 0 to 1
 */
export function ColorSteps({ steps, y = 0, width, colorAt }: ColorStepsProps) {
  const { muted } = useInks()
  const step = (width - 2) / steps
  return (
    <>
      {Array.from({ length: steps }, (_, i) => (
        <rect
          key={i}
          x={1 + i * step}
          y={y + 1}
          width={step + 0.5}
          height={HEIGHT}
          shape-rendering="crispEdges"
          fill={colorAt(i / (steps - 1))}
        />
      ))}
      <rect x="0.5" y={y + 0.5} width={width - 1} height={HEIGHT + 1} fill="none" stroke={muted} />
    </>
  )
}
