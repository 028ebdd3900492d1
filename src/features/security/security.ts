import type { CorsOptions } from 'cors'
import type { HelmetOptions } from 'helmet'
import type { RequestHandler } from '../../contracts/handler.js'
import type { Problem } from '../../errors/config-error.js'
import {
  type CrossOrigin,
  crossOriginBy,
  type RecordedHeader,
  recordHeaders,
} from './cross-origin.js'

/** The `security` option. */
export interface SecurityOptions {
  /** Protective headers by `helmet`. Default true: a policy for APIs, which load and embed nothing. */
  readonly helmet?: boolean | HelmetOptions
  /** Cross-origin access by `cors`. Default false; `true` lets every origin read answers without credentials. */
  readonly cors?: boolean | CorsOptions
}

/** What the security options come down to. */
export interface Security {
  /** Headers that are the same on every answer. */
  readonly headers: readonly RecordedHeader[]
  /** What must be decided for each request. */
  readonly middlewares: readonly RequestHandler[]
  /** `null` where no header depends on who asks from where. */
  readonly crossOrigin: CrossOrigin | null
}

const NOTHING: Security = { headers: [], middlewares: [], crossOrigin: null }

/** An API serves no page: nothing may be loaded by an answer, and no answer may be framed. */
const API_POLICY: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
}

/** Runs what never changes once, now, and keeps the rest for the requests. Loads nothing that is off. */
export async function buildSecurity(options: SecurityOptions = {}): Promise<Security> {
  const helmetPart = await buildHelmet(options.helmet ?? true)
  const corsPart = await buildCors(options.cors ?? false)
  return {
    headers: [...helmetPart.headers, ...corsPart.headers],
    middlewares: [...helmetPart.middlewares, ...corsPart.middlewares],
    crossOrigin: corsPart.crossOrigin,
  }
}

/** What is wrong with the security options. */
export function checkSecurity(options: SecurityOptions = {}): Problem[] {
  const { cors: config } = options
  if (typeof config !== 'object' || !config.credentials || !isAnyOrigin(config.origin)) return []
  return [
    {
      code: 'E_OPTION_INVALID',
      subject: 'security.cors',
      cause: '`credentials: true` for every origin lets any site act as the signed-in user.',
      remedy: 'List the origins you trust in `security.cors.origin`.',
    },
  ]
}

async function buildHelmet(config: boolean | HelmetOptions): Promise<Security> {
  if (config === false) return NOTHING
  const { default: helmet } = await import('helmet')
  const middleware = helmet(config === true ? API_POLICY : withDefaults(config))
  if (config !== true && isDynamic(config)) return { ...NOTHING, middlewares: [middleware] }
  return { ...NOTHING, headers: recordHeaders(middleware, {}) }
}

/** Typed as objects: `HelmetOptions` is a union whose spread multiplies out, and cost the compiler 25 s. */
function withDefaults(config: object): HelmetOptions {
  return { ...(API_POLICY as object), ...config }
}

/** A directive that is a function (a nonce) has another value for every request. */
function isDynamic({ contentSecurityPolicy: policy }: HelmetOptions): boolean {
  const directives = typeof policy === 'object' ? Object.values(policy.directives ?? {}) : []
  // A directive is one value or any iterable of values: a Set counts.
  return directives.some((value) => {
    const parts = typeof value === 'object' && value !== null ? [...value] : [value]
    return parts.some((part) => typeof part === 'function')
  })
}

async function buildCors(config: boolean | CorsOptions): Promise<Security> {
  if (config === false) return NOTHING
  const { default: cors } = await import('cors')
  const options = config === true ? {} : config
  const middleware = cors(options)
  // It may ask a database, or toss a coin.
  if (typeof options.origin === 'function') return { ...NOTHING, middlewares: [middleware] }
  if (!isFixed(options.origin)) return { ...NOTHING, crossOrigin: crossOriginBy(middleware) }
  const headers = recordHeaders(middleware, {})
  return { ...NOTHING, headers, crossOrigin: { headersOf: null, preflight: middleware } }
}

/** Whether answers say the same to every origin. */
function isFixed(origin: CorsOptions['origin']): boolean {
  return origin === undefined || typeof origin === 'string'
}

function isAnyOrigin(origin: CorsOptions['origin']): boolean {
  return origin === undefined || origin === '*' || origin === true
}
