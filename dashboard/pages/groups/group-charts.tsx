import { useMemo, useState } from 'preact/hooks'
import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import { isolate, slug } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { readView } from '../../core/view/chart-view.ts'
import { AoiColors } from '../../figures/aoi-colors.tsx'
import { Figure } from '../../figures/figure.tsx'
import { withFrame } from '../../figures/frame-choice.tsx'
import { together } from '../../figures/item-answers.ts'
import { usePicture } from '../../figures/picture.ts'
import { ScarfFigure } from '../../figures/scarf-figure.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { GroupMeasures } from './group-measures.tsx'
import type { GroupView } from './group-view.tsx'
import { type GroupsProps, type GroupsWithAois, groupsCaption, groupsSubject } from './groups-caption.ts'
import { HeatPanels, paintPanels } from './heat-panels.tsx'
import { LooksFigure } from './looks-figure.tsx'
import { MixedFigure } from './mixed-figure.tsx'
import { WithinFigure } from './within-figure.tsx'

const STYLE = { kernel: 2.5, colors: 'magma', opacity: 0.85, max: null, fog: null } as const

/**
 * Draws the charts of two or more groups.
 *
 * @param view charts to draw; those of people, if absent
 * @param untilMs end of scarf plots
 */
export function GroupCharts({
  view = 'people',
  untilMs = 0,
  ...props
}: GroupsWithAois & { view?: GroupView; untilMs?: number }) {
  const { aois } = props
  const isShown = (name: GroupView) => view === name || view === 'all'
  return (
    <div class="stack group-charts">
      {isShown('people') && <GroupHeatmaps {...props} />}
      {isShown('people') &&
        (aois.length > 0 ? (
          <GroupMeasures {...props} />
        ) : (
          <Empty title="This item has no areas of interest">
            <p>
              Without AOIs, you can compare only heatmaps and fixations. Whoever may change the study draws them, or
              loads the boxes of words, under “Draw AOIs” on the page of the item.
            </p>
          </Empty>
        ))}
      {isShown('time') && aois.length > 0 && <LooksFigure {...props} />}
      {isShown('within') && aois.length > 1 && <WithinFigure {...props} />}
      {isShown('mixed') && aois.length > 1 && <MixedFigure {...props} />}
      {isShown('scarf') && <GroupScarfs {...props} untilMs={untilMs} />}
    </div>
  )
}

function GroupHeatmaps(props: GroupsProps) {
  const { study, item, groups, answers, settings } = props
  const picture = usePicture(study.id, item, settings)
  const { aspect } = picture
  const heats = answers.map(({ heatmap }) => heatmap.data)
  const isThere = heats.every((data) => data !== null)
  const painted = useMemo(
    () =>
      isThere
        ? paintPanels(
            heats.map((data, g) => ({ name: groups[g].name, data: data! })),
            STYLE,
          )
        : null,
    [...heats, groups.map(({ name }) => name).join('\n'), groups.length],
  )
  const words = `Every participant has equal weight: a cell is the mean share of viewing time. All groups share one scale. The difference is the first group minus the second: orange where the first has more, violet where the second has more. Gaussian kernel σ = ${STYLE.kernel} % of the item's mean side. A difference in the picture is not a statistical test.`
  return (
    <Figure
      title="Heatmaps"
      subject={groupsSubject(props)}
      fileName={`gazette-groups-heatmaps-${slug(item.filename)}`}
      caption={withFrame(
        groupsCaption(
          props,
          heats,
          heats.length === 2
            ? 'Mean share of viewing time in each group on one scale, and the first minus the second'
            : 'Mean share of viewing time in each group, on one scale',
          words,
        ),
        picture,
        [],
      )}
      loaded={together(answers.map(({ heatmap }) => heatmap))}
      narrowest={280}
      numbers={() => ({
        columns: ['group', 'column', 'row', heats[0]!.unit],
        rows: heats.flatMap((data, g) =>
          data!.weights.flatMap((weight, i) =>
            weight === 0 ? [] : [[groups[g].name, i % data!.columns, Math.floor(i / data!.columns), weight]],
          ),
        ),
      })}
      draw={
        painted &&
        ((colors, width) => <HeatPanels data={painted} unit={heats[0]!.unit} {...{ picture, aspect, width, colors }} />)
      }
    />
  )
}

function GroupScarfs({ study, item, groups, answers, aois, names, untilMs }: GroupsWithAois & { untilMs: number }) {
  const { query } = usePlace()
  const { chosen } = readView(query, { isOne: false, aoiCount: aois.length }).view
  const [lit, setLit] = useState<number | null>(null)
  const painted = useAoiColors(study, aois, chosen)
  const paint = useMemo(() => ({ colors: painted, lit }), [painted, lit])
  const colors = aois.length > 0 ? <AoiColors {...{ study, aois, chosen, paint }} onLight={setLit} /> : null
  return (
    <>
      {groups.map(({ name }, g) => (
        <ScarfFigure
          key={g}
          title={`Scarf plot: ${isolate(name)}`}
          subject={`${isolate(item.filename) || 'item'}, ${isolate(name)}`}
          fileName={`${slug(name)}-${slug(item.filename)}`}
          {...{ aois, chosen, paint, names, untilMs }}
          loaded={answers[g].fixations}
          below={g === groups.length - 1 ? colors : null}
        />
      ))}
    </>
  )
}
