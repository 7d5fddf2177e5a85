import './replay.css'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isShownVideo } from '../../../isomorphic/picture-names.ts'
import { useAoiColors } from '../../core/analysis/use-aoi-colors.ts'
import { useAoisOf } from '../../core/aois-of.ts'
import type { Aoi, FixationsData, Item, RecordingsData, Study } from '../../core/api.ts'
import { slug } from '../../core/number-texts.ts'
import { usePeople, useWithLosses, whoOf } from '../../core/people/people.ts'
import { usePlace } from '../../core/router.ts'
import { readView } from '../../core/view/chart-view.ts'
import { useLinkSettings } from '../../core/view/link-settings.ts'
import { useHasLists } from '../../core/view/places.ts'
import { captionOf, figureSubject } from '../../figures/captions.ts'
import { emptyOf } from '../../figures/nothing-kept.tsx'
import { usePicture } from '../../figures/picture.ts'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { Side } from '../../figures/settings/item-side.tsx'
import { CalmSettings } from '../../figures/settings/settings-fold.tsx'
import { ItemTitle } from '../../ui/item-title.tsx'
import { itemPage, type KnownItem } from '../../ui/waiting/await-item.tsx'
import { Empty, Loading, RefusedLink, Trouble } from '../../ui/waiting/states.tsx'
import { WindowNote } from '../../ui/window/window-note.tsx'
import { DriftPanel } from './drift-panel.tsx'
import { endOf } from './moment.ts'
import { Player, readPlayer } from './player.tsx'
import { OnlyTheFirst, ReplayWho } from './replay-who.tsx'
import { playedWords, type Replay, useReplay } from './use-replay.ts'

export const ReplayPage = itemPage(ReplayView)

function ReplayView({ study, item, parameters }: KnownItem) {
  const { query } = usePlace()
  const hasLists = useHasLists()
  const people = useWithLosses(study.id, usePeople(study.id))
  const link = useLinkSettings(parameters)
  const { settings } = link
  const [begun] = useState(() => readPlayer(query))
  const participantId = query.get('participant') || null
  const aois = useAoisOf(study, item)
  const { view, refused } = readView(query, { isOne: participantId !== null, aoiCount: aois.length })
  const { href, aspect, clip, image, paint, lack } = useScene(study, item, aois, view.chosen)
  const replay = useReplay(study, item, { participantId, link, people })
  const { recording, all, tests } = replay
  const who = whoOf(people, participantId)
  const subject = figureSubject(item, who)
  return (
    <ItemPlaces {...{ study, item, people }} who="Participants" hasKeys={false}>
      <ItemTitle {...{ study, item }} what="Replay of" hasKeys={false} />
      <RefusedLink refused={[...link.refused, ...refused, ...replay.refused]} />
      <div class="item-grid">
        <div class="item-main">
          <WindowNote settings={settings}>
            The replay shows whole recordings. AOIs light up only for fixations that begin in the time window.
          </WindowNote>
          {lack !== null && <p class="notice">{lack}. Gaze is shown on grey.</p>}
          {recording.data !== null && <OnlyTheFirst data={recording.data} />}
          <Played replay={replay} empty={emptyOf(recording.data, people, settings)}>
            {(counts, shown) => (
              <Player
                {...{ item, aois, paint, tests, image, clip, aspect }}
                names={people.names}
                untilMs={Math.max(1, endOf(all))}
                link={begun}
                chosen={view.chosen}
                fixations={shown}
                title={`Replay: ${subject}`}
                caption={`${captionOf(subject, counts)} ${playedWords(replay)}`}
                fileName={`gazette-replay-${slug(item.filename)}`}
              />
            )}
          </Played>
          {participantId !== null && replay.problem === null && all.length > 0 && (
            <DriftPanel
              key={participantId}
              studyId={study.id}
              itemId={item.id}
              {...{ participantId, href, aspect }}
              name={who}
              tests={all}
              eye={settings.eye}
            />
          )}
        </div>
        <Side what={hasLists ? undefined : 'participant and settings'}>
          <ReplayWho {...{ people, participantId, link, replay }} itemIndex={study.items.indexOf(item)} />
          <CalmSettings {...{ parameters, settings }} defaults={link.defaults} onChange={link.change} />
        </Side>
      </div>
    </ItemPlaces>
  )
}

type PlayedProps = {
  replay: Replay
  empty: VNode | null
  children: (counts: RecordingsData, shown: FixationsData) => ComponentChildren
}

/** Shows the player once its tests are loaded, or why there is none. */
function Played({ replay: { recording, shown, problem, retry, all, tests }, empty, children }: PlayedProps) {
  if (problem !== null) return <Trouble problem={problem} retry={retry} />
  if (all.length === 0) return empty ?? <Loading what="recordings" />
  if (tests.length === 0 && empty === null)
    return <Empty title="No participants selected">Select at least one participant to play.</Empty>
  if (recording.data === null || shown === null) return null
  return <>{children(recording.data, shown)}</>
}

/** Loads what gaze moves over: the picture or video, and the colours of the AOIs. @returns `lack` of a video */
function useScene(study: Study, item: Item, aois: Aoi[], chosen: number[]) {
  const paint = { colors: useAoiColors(study, aois, chosen), lit: null }
  const { href, aspect, clip, lack } = usePicture(study.id, item)
  const isVideo = isShownVideo(item.filename)
  return { href, aspect, clip, image: useImage(isVideo ? null : href), paint, lack: isVideo ? lack : null }
}

/** Returns a picture once it is loaded. */
function useImage(href: string | null): HTMLImageElement | null {
  const [image, setImage] = useState<HTMLImageElement | null>(null)
  useEffect(() => {
    setImage(null)
    if (href === null) return
    const loading = new Image()
    loading.onload = () => setImage(loading)
    loading.src = href
    return () => {
      loading.onload = null
    }
  }, [href])
  return image
}
