import type { Clock } from '../../contracts/clock.js'
import type { AuthGuard } from '../../contracts/guard.js'
import type { Request, Response } from '../../contracts/handler.js'
import type { FrameworkRoute, Plugin } from '../../contracts/plugin.js'
import type { HealthReport } from '../../contracts/reports.js'
import { type PreparedGuard, prepareGuard } from '../../di/prepare-guard.js'
import { Clock as ClockToken } from '../../di/token.js'
import { Health } from './health.js'
import type { HealthSettings } from './health-options.js'

/**
 * The time limit for the guard, in milliseconds. A probe must receive a response even if a server that the guard uses
 * is down.
 */
const GUARD_MS = 1000

const FAILED = 'The guard failed, so the reasons were not shown'

/** Dependencies of {@link healthPlugin} besides its settings. */
export interface HealthSources {
  /** Logs the error that the guard threw. */
  readonly logDenial: (
    error: unknown,
    req: Request,
    note: { readonly status: number; readonly message: string },
  ) => void
}

interface Verdict {
  readonly isTrusted: boolean
  readonly error?: unknown
}

const UNTRUSTED: Verdict = { isTrusted: false }

type Body = { readonly status: string } & Partial<HealthReport>

/**
 * Creates the plugin for the `health` option. It uses only interfaces that are also available to an application's own
 * plugins.
 */
export function healthPlugin(
  { guard, paths }: HealthSettings,
  { logDenial }: HealthSources,
): Plugin {
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
        const clock = get(ClockToken)
        const [report, { isTrusted, error }] = await Promise.all([
          get(Health).check(),
          trusted === undefined ? UNTRUSTED : ask(trusted.running, { req, clock }),
        ])
        const { status } = report
        const sent = status === 'up' || status === 'degraded' ? 200 : 503
        if (error !== undefined) logDenial(error, req, { status: sent, message: FAILED })
        send(res, sent, isTrusted ? report : { status })
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
    remedy: `Move the route, or specify another path: \`health: { paths: { ${name}: '/other' } }\`.`,
    handle: (req, res) => handle(req as Request, res as Response) as undefined,
  }
}

/**
 * Sends the response without `res.json`, which would add an ETag. A probe cannot read the status from a 304 response.
 */
function send(res: Response, status: number, body: Body): void {
  const text = `${textOf(body)}\n`
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.end(text)
}

/**
 * Returns the body as a JSON string. A check may return any value as its details, even a value that JSON cannot
 * represent.
 */
function textOf(body: Body): string {
  try {
    return JSON.stringify(body)
  } catch {
    return JSON.stringify({ status: body.status })
  }
}

/** Calls the guard. If the guard throws or exceeds its time limit, the caller is not allowed to read the reasons. */
function ask(guard: AuthGuard, { req, clock }: { req: Request; clock: Clock }): Promise<Verdict> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => resolve(UNTRUSTED), GUARD_MS)
    const settle = (verdict: Verdict) => {
      timer.cancel()
      resolve(verdict)
    }
    Promise.resolve()
      .then(() => guard.canActivate(req))
      .then(
        (allowed: unknown) => settle({ isTrusted: allowed === true }),
        (error) => settle({ isTrusted: false, error }),
      )
  })
}
