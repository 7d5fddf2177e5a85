import { useEffect, useRef } from 'preact/hooks'
import type { Session } from '../core/api.ts'
import { chooseTheme, type ThemeChoice, useTheme } from '../core/colors/theme.ts'
import { Button } from '../ui/controls/button.tsx'
import { type ChoiceOption, Select } from '../ui/controls/choice.tsx'
import { SignOut } from './sign-out.tsx'

const THEMES: ChoiceOption<ThemeChoice>[] = [
  ['auto', 'Theme: system'],
  ['light', 'Theme: light'],
  ['dark', 'Theme: dark'],
]

type MenuProps = {
  session: Session
  path: string
  signOut: () => void
  /** Opens the dialog that shares the page; null for users who may not change its study, and without one. */
  onShare: (() => void) | null
}

/** Draws the menu of sharing, and of what belongs to no study: jobs, operations, help, theme, and signing out. */
export function Menu({ session, path, signOut, onShare }: MenuProps) {
  const { choice } = useTheme()
  const menu = useRef<HTMLDivElement | null>(null)
  useEffect(() => menu.current?.hidePopover(), [path])
  const link = (href: string, label: string) => (
    <a href={href} aria-current={path === href ? 'page' : undefined}>
      {label}
    </a>
  )
  const isLink = session.link !== null
  return (
    <>
      <Button class="quiet menu-button" popovertarget="main-menu">
        Menu
      </Button>
      <div id="main-menu" popover="auto" class="card main-menu" ref={menu}>
        {onShare !== null && (
          <Button
            onClick={() => {
              menu.current?.hidePopover()
              onShare()
            }}
          >
            Share
          </Button>
        )}
        <nav aria-label="More pages">
          {!isLink && link('/jobs', 'Jobs')}
          {session.token?.role === 'ops' && link('/operations', 'Operations')}
          {link('/help', 'Help')}
          {link('/docs', 'API for scripts')}
          {link('/docs/problems/', 'Problems and solutions')}
        </nav>
        <Select aria-label="Light or dark" value={choice} of={THEMES} onChange={chooseTheme} />
        <SignOut words={isLink ? 'Leave' : 'Sign out'} signOut={signOut} />
      </div>
    </>
  )
}
