import type { Clock } from '../../contracts/clock.js'
import type { FrameworkRoute } from '../../contracts/framework-route.js'
import type { AuthGuard } from '../../contracts/guard.js'
import type { Request, Response } from '../../contracts/handler.js'
import type { HealthReport } from '../../contracts/health.js'
import type { Plugin } from '../../contracts/plugin.js'
import { Clock as ClockToken } from '../../di/clock.js'
import { type PreparedGuard, prepareGuard } from '../../di/prepare-guard.js'
import { Health } from './health.js'
import type { HealthSettings } from './health-options.js'

/** How long the guard may take, in milliseconds. A probe must get its response when the guard's server is away. */
const GUARD_MS = 1000

type Body = { readonly status: string } & Partial<HealthReport>

/** Creates the plugin of the option `health`. It uses nothing that a plugin of a user could not use. */
export function healthPlugin({ guard, paths }: HealthSettings): Plugin {
  let trusted: PreparedGuard | undefined
  return {
    name: 'health',
    async setup({ get, logger }) {
      if (guard !== null) trusted = await prepareGuard(guard, 'health.guard', { get, logger })
    },
    onClose: () => trusted?.running.onClose?.(),
    routes: ({ get }) => [
      routeAt('live', paths.live, (_req, res) => send(res, 200, { status: 'up' })),
      routeAt('ready', paths.ready, async (req, res) => {
        const [report, isTrusted] = await Promise.all([
          get(Health).check(),
          trusted !== undefined && isAllowed(trusted.running, { req, clock: get(ClockToken) }),
        ])
        const { status } = report
        const isReady = status === 'up' || status === 'degraded'
        send(res, isReady ? 200 : 503, isTrusted ? report : { status })
      }),
      routeAt('startup', paths.startup, (_req, res) => send(res, 200, { status: 'up' })),
    ],
  }
}

function routeAt(
  name: string,
  path: string,
  handle: (req: Request, res: Response) => unknown,
): FrameworkRoute {
  return {
    path,
    quiet: true,
    early: true,
    remedy: `Move the route, or give another path: \`health: { paths: { ${name}: '/other' } }\`.`,
    handle: (req, res) => handle(req as Request, res as Response) as undefined,
  }
}

/** `res.json` would add an ETag, and a 304 has no status of its own for a probe. */
function send(res: Response, status: number, body: Body): void {
  const text = `${textOf(body)}\n`
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.end(text)
}

/** A check may return any value as its details, also one that JSON cannot hold. */
function textOf(body: Body): string {
  try {
    return JSON.stringify(body)
  } catch {
    return JSON.stringify({ status: body.status })
  }
}

/** A guard that throws, or takes too long, has not allowed anything. */
function isAllowed(
  guard: AuthGuard,
  { req, clock }: { req: Request; clock: Clock },
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => resolve(false), GUARD_MS)
    const settle = (verdict: unknown) => {
      timer.cancel()
      resolve(verdict === true)
    }
    Promise.resolve()
      .then(() => guard.canActivate(req))
      .then(settle, () => settle(false))
  })
}
