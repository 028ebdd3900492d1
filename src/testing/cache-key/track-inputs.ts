import type { BlazonRequest } from '../../http/request.js'

/** The request parts whose values have names. `req` means the request itself. */
export type InputPart = 'params' | 'query' | 'headers' | 'cookies' | 'user' | 'req'

/** Receives every read. The name `*` means all names of the part. */
export type OnRead = (part: InputPart, name: string) => void

/** The callback and the granularity of the tracking. */
export interface TrackConfig {
  readonly onRead: OnRead
  /** Whether listing all names in a part is reported as `*`. Otherwise, each existing name is reported. */
  readonly sumsUp: boolean
  /** Whether reading the URL counts as reading all path and query parameters. */
  readonly withUrl: boolean
}

const PARTS: Readonly<Record<string, InputPart>> = {
  params: 'params',
  query: 'query',
  headers: 'headers',
  cookies: 'cookies',
  headersDistinct: 'headers',
  signedCookies: 'cookies',
  user: 'user',
  auth: 'user',
}
/** Fields of the request without named values, and their names in reports. */
const WHOLE: Readonly<Record<string, string>> = {
  body: 'body',
  ip: 'ip',
  ips: 'ip',
  protocol: 'protocol',
  secure: 'protocol',
}
/** Fields that Express derives from the host header. */
const OF_THE_HOST = ['host', 'hostname', 'subdomains']
/** Fields that middlewares can set later. They are tracked even if they do not exist yet. */
const SET_LATER = ['body', 'user']
/** Names that are read when an object is printed, awaited or serialized. They are not inputs. */
const NOT_INPUTS: readonly PropertyKey[] = ['then', 'toJSON', 'constructor']

/**
 * Reports every read of a request from now on. The request stays the same object; its parts are replaced by proxies.
 *
 * @returns A function that removes the proxies.
 */
export function trackInputs(req: BlazonRequest, config: TrackConfig): () => void {
  // Getters of the framework read other parts of the request. Such reads are not reads by the handler.
  let isInside = false
  const onRead: OnRead = (part, name) => {
    if (!isInside) config.onRead(part, name)
  }
  const inside = <T>(read: () => T): T => {
    const wasInside = isInside
    isInside = true
    try {
      return read()
    } finally {
      isInside = wasInside
    }
  }
  const standIn = standInsFor({ ...config, onRead })
  const undo = Object.entries(PARTS)
    .filter(([field]) => field in req || SET_LATER.includes(field))
    .map(([field, part]) => shadow(req, field, (value) => standIn(part, value as object), inside))
  undo.push(shadow(req, 'validated', (value) => validatedOf(value as object, standIn), inside))
  undo.push(...trackWhole(req, onRead, inside))
  if (config.withUrl) undo.push(...trackUrl(req, onRead, inside))
  return () => {
    for (const each of undo.reverse()) each()
  }
}

type StandIn = (part: InputPart, value: object) => unknown
type Inside = <T>(read: () => T) => T

function trackWhole(req: BlazonRequest, onRead: OnRead, inside: Inside): (() => void)[] {
  const noting =
    (part: InputPart, ...names: string[]) =>
    (value: unknown) => {
      // A missing value gives the handler no information.
      for (const name of value === undefined ? [] : names) onRead(part, name)
      return value
    }
  // Express always reads `X-Forwarded-Host`, but ignores it if the proxy is not trusted.
  const hosts = trustsProxy(req) ? ['x-forwarded-host', 'host'] : ['host']
  return [
    ...OF_THE_HOST.map((field) => shadow(req, field, noting('headers', ...hosts), inside)),
    ...Object.entries(WHOLE).map(([field, name]) =>
      shadow(req, field, noting('req', name), inside),
    ),
    shadow(req, 'rawHeaders', noting('headers', '*'), inside),
  ]
}

function trustsProxy({ app, socket }: BlazonRequest): boolean {
  const trust: unknown = app.get('trust proxy fn')
  return typeof trust === 'function' && trust(socket.remoteAddress, 0) === true
}

function trackUrl(req: BlazonRequest, onRead: OnRead, inside: Inside): (() => void)[] {
  const noting = (parts: readonly InputPart[]) => (value: unknown) => {
    for (const part of parts) onRead(part, '*')
    return value
  }
  return [
    shadow(req, 'url', noting(['params', 'query']), inside),
    shadow(req, 'originalUrl', noting(['params', 'query']), inside),
    shadow(req, 'path', noting(['params']), inside),
  ]
}

/** Defines a getter in place of a field of the request or of its prototype. */
function shadow(
  req: BlazonRequest,
  field: string,
  wrap: (value: unknown) => unknown,
  inside: Inside,
): () => void {
  const own = Object.getOwnPropertyDescriptor(req, field)
  const prototype = Object.getPrototypeOf(req) as object
  let value: unknown = own?.value
  const isMissing = !(field in req)
  const isData = isMissing || (own !== undefined && 'value' in own)
  // An existing getter or setter is still called.
  const read = () =>
    own?.get === undefined ? Reflect.get(prototype, field, req) : own.get.call(req)
  const write = (other: unknown) =>
    own?.set === undefined ? Reflect.set(prototype, field, other, req) : own.set.call(req, other)
  Object.defineProperty(req, field, {
    configurable: true,
    enumerable: true,
    get: () => wrap(isData ? value : inside(read)),
    set: (other: unknown) => {
      if (isData) value = other
      else write(other)
    },
  })
  return () => {
    Reflect.deleteProperty(req, field)
    if (isMissing && value !== undefined) Reflect.set(req, field, value)
    if (own !== undefined) Object.defineProperty(req, field, isData ? { ...own, value } : own)
  }
}

/** `req.validated` contains the same parts again, except cookies and the user. */
function validatedOf(validated: object, standIn: StandIn): object {
  const entries = Object.entries(validated).map(([source, value]) => {
    const part = PARTS[source]
    return [source, part === undefined ? value : standIn(part, value as object)]
  })
  return Object.fromEntries(entries)
}

function standInsFor({ onRead, sumsUp }: TrackConfig): StandIn {
  const known = new WeakMap<object, object>()
  return function standIn(part, value) {
    if (typeof value !== 'object' || value === null) return value
    const made = known.get(value) ?? new Proxy(value, handlerFor(part, { onRead, sumsUp }))
    known.set(value, made)
    return made
  }
}

function handlerFor(
  part: InputPart,
  { onRead, sumsUp }: Pick<TrackConfig, 'onRead' | 'sumsUp'>,
): ProxyHandler<object> {
  const note = (name: PropertyKey) => {
    if (typeof name === 'string' && !NOT_INPUTS.includes(name)) onRead(part, name)
  }
  return {
    get(target, name) {
      note(name)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? boundTo(target, name, value) : value
    },
    has(target, name) {
      note(name)
      return Reflect.has(target, name)
    },
    ownKeys(target) {
      const names = Reflect.ownKeys(target)
      if (sumsUp) onRead(part, '*')
      else for (const name of names) note(name)
      return names
    },
  }
}

/**
 * Methods are bound to the target, because they can use private fields. A non-configurable property must be returned
 * unchanged, as the rules for proxies require.
 */
function boundTo(target: object, name: PropertyKey, method: CallableFunction): unknown {
  const own = Object.getOwnPropertyDescriptor(target, name)
  return own?.configurable === false ? method : method.bind(target as never)
}
