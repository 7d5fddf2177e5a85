import type { Study, TagsData } from '../../core/api.ts'
import { countOf, isolate } from '../../core/number-texts.ts'
import { useData } from '../../core/use-data.ts'
import { AoiTagBars, aoiTagNumbers } from '../../figures/aoi-tag-bars.tsx'
import { Figure } from '../../figures/figure.tsx'
import { Await, Empty } from '../../ui/waiting/states.tsx'

type TagFigureProps = { study: Study; query: string }

/** Draws the tags of a study's AOIs over its items; draws nothing without tags. */
export function TagFigure({ study, query }: TagFigureProps) {
  return study.aois.some(({ tags = [] }) => tags.length > 0) ? <KnownTags study={study} query={query} /> : null
}

function KnownTags({ study, query }: TagFigureProps) {
  const loaded = useData<TagsData>(`/api2/studies/${study.id}/analysis/tags${query}`)
  return (
    <Await loaded={loaded} what="tags of AOIs">
      {(data) => (
        <Figure
          title="Tags of AOIs"
          fileName="gazette-aoi-tags"
          subject={isolate(study.name)}
          narrowest={560}
          empty={data.counted.participants === 0 ? <Empty title="No test with gaze shows an item with a tag" /> : null}
          caption={{
            short: `Means over participants of ${countOf(data.tags.length, 'tag')}, over all items.`,
            reading:
              'On an item, the AOIs of a tag count as one: their union. A participant’s value is over all tests of items with the tag that have gaze. The time to first fixation is over the tests that have one.',
            sources: [
              {
                text: `analysis/tags · ${isolate(study.name)} · n = ${countOf(data.counted.participants, 'participant')}`,
                notes: data.notes,
              },
            ],
          }}
          numbers={() => aoiTagNumbers(data)}
          draw={(colors, width) => <AoiTagBars data={data} width={width} colors={colors} />}
        />
      )}
    </Await>
  )
}
