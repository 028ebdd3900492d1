import { randomBytes } from 'node:crypto'
import type { Plugin } from '../../contracts/plugin.js'
import type { StepFactory } from '../../contracts/steps.js'
import { Clock } from '../../di/clock.js'
import { cursorPages, type OpenPage } from './cursor-page.js'
import { numberedPage } from './numbered-page.js'

/**
 * Reads the requested pages, on routes with `@Paged`. An application loads it if it has such a route.
 *
 * @param cookieKeys Returns the keys of cursors, after the start. Without a key, a random one is used.
 */
export function pagesPlugin(cookieKeys: () => readonly string[]): Plugin {
  let used: readonly string[] | undefined
  return {
    name: 'pages',
    steps(route, { get }) {
      if (route.pages === null) return null
      const { pages } = route
      const clock = get(Clock)
      const keys = cookieKeys()
      used ??= keys.length > 0 ? keys : [randomBytes(32).toString('base64url')]
      const open: OpenPage =
        pages.kind === 'cursor'
          ? cursorPages(route, pages, { keys: used, now: () => clock.now() })
          : (req, res) => numberedPage(pages, req, res)
      const beforeHandler: StepFactory = (next) =>
        function readPage(req, res) {
          Object.assign(req, { page: open(req, res) })
          return next(req, res)
        }
      return { beforeHandler }
    },
  }
}
