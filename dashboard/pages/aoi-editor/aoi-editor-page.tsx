import './aoi-editor.css'
import { commandLine, mayWrite, type Session, type Study } from '../../core/api.ts'
import { isolate } from '../../core/number-texts.ts'
import { usePlace } from '../../core/router.ts'
import { useTitle } from '../../core/use-title.ts'
import { carrying } from '../../core/view/study-links.ts'
import { ItemPlaces } from '../../figures/places/item-places.tsx'
import { Crumbs } from '../../ui/crumbs.tsx'
import { AwaitItem } from '../../ui/waiting/await-item.tsx'
import { Empty } from '../../ui/waiting/states.tsx'
import { AoiEditor } from './aoi-editor.tsx'

/** Draws the page on which the AOIs of an item are edited. */
export function AoiEditorPage({ studyId, itemId, session }: { studyId: string; itemId: string; session: Session }) {
  return (
    <AwaitItem studyId={studyId} itemId={itemId}>
      {(known) => (
        <ItemPlaces study={known.study} item={known.item} hasKeys={false} hasBrackets={false}>
          <Title study={known.study} name={known.item.filename} />
          {mayWrite(session, studyId) ? (
            <AoiEditor {...known} />
          ) : (
            <>
              <h1>
                AOIs of <bdi>{known.item.filename || 'Item'}</bdi>
              </h1>
              <MayNot session={session} path={`/studies/${studyId}/items/${itemId}`} />
            </>
          )}
        </ItemPlaces>
      )}
    </AwaitItem>
  )
}

function Title({ study, name }: { study: Study; name: string }) {
  useTitle(`AOIs of ${isolate(name) || 'item'}`, isolate(study.name))
  return <Crumbs study={study} />
}

function MayNot({ session: { token }, path }: { session: Session; path: string }) {
  const here = usePlace()
  return (
    <Empty title="This token can view AOIs, but not change them">
      <p>
        You are signed in as <bdi>{token?.name}</bdi>, with the role <code>{token?.role}</code>. Drawing AOIs needs a
        token with the role <code>write</code> for this study:{' '}
        <code>{commandLine.program} token create --role write</code> creates one.
      </p>
      <p>
        <a href={carrying(here, path)}>View the item and its AOIs</a>
      </p>
    </Empty>
  )
}
