import type { IncomingMessage, ServerResponse } from 'node:http'
import cors, { type CorsOptions } from 'cors'
import helmet, { type HelmetOptions } from 'helmet'
import type { RequestHandler } from '../../contracts/handler.js'
import type { Problem } from '../../errors/config-error.js'

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
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** What must be decided for each request. */
  readonly middlewares: readonly RequestHandler[]
}

/** An API serves no page: nothing may be loaded by an answer, and no answer may be framed. */
const API_POLICY: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
}

/** Runs what never changes once, now, and keeps the rest as middlewares. */
export function buildSecurity(options: SecurityOptions = {}): Security {
  const parts = [buildHelmet(options.helmet ?? true), buildCors(options.cors ?? false)]
  return {
    headers: parts.flatMap(({ headers }) => headers),
    middlewares: parts.flatMap(({ middlewares }) => middlewares),
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

function buildHelmet(config: boolean | HelmetOptions): Security {
  if (config === false) return { headers: [], middlewares: [] }
  const middleware = helmet(config === true ? API_POLICY : withDefaults(config))
  if (config !== true && isDynamic(config)) return { headers: [], middlewares: [middleware] }
  return { headers: record(middleware), middlewares: [] }
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

function buildCors(config: boolean | CorsOptions): Security {
  if (config === false) return { headers: [], middlewares: [] }
  const middleware = cors(config === true ? {} : config)
  const isStatic = config === true || (isAnyOrigin(config.origin) && config.origin !== true)
  if (!isStatic) return { headers: [], middlewares: [middleware] }
  return { headers: record(middleware), middlewares: [preflightOnly(middleware)] }
}

function isAnyOrigin(origin: CorsOptions['origin']): boolean {
  return origin === undefined || origin === '*' || origin === true
}

function preflightOnly(middleware: RequestHandler): RequestHandler {
  return function answerPreflight(req, res, next) {
    return req.method === 'OPTIONS' ? middleware(req, res, next) : next()
  }
}

/** Runs a middleware that only sets headers against a stand-in that notes them. */
function record(middleware: RequestHandler): [string, string][] {
  const headers = new Map<string, [string, string]>()
  const res = {
    setHeader: (name: string, value: string) => headers.set(name.toLowerCase(), [name, value]),
    getHeader: (name: string) => headers.get(name.toLowerCase())?.[1],
    removeHeader: (name: string) => headers.delete(name.toLowerCase()),
  } as unknown as ServerResponse
  const req = { method: 'GET', headers: {} } as IncomingMessage
  middleware(req, res, (error?: unknown) => {
    if (error !== undefined) throw error
  })
  return [...headers.values()]
}
