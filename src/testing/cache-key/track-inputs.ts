import type { BlazonRequest } from '../../http/request.js'

/** Parts of a request that are looked into by name; `req` is what it is as a whole. */
export type InputPart = 'params' | 'query' | 'headers' | 'cookies' | 'user' | 'req'

/** Told of what is read. `*` is all that there may ever be. */
export type OnRead = (part: InputPart, name: string) => void

/** What is watched, and how. */
export interface TrackConfig {
  readonly onRead: OnRead
  /** Whether a look at all names of a part counts as `*`, and not as each that is there now. */
  readonly sumsUp: boolean
  /** Whether the URL counts, as everything that is written in it. */
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
/** Fields that have no names in them, by what they tell: of its connection, and what came with it. */
const WHOLE: Readonly<Record<string, string>> = {
  body: 'body',
  ip: 'ip',
  ips: 'ip',
  protocol: 'protocol',
  secure: 'protocol',
}
/** Fields that are made of the address that was called. */
const OF_THE_HOST = ['host', 'hostname', 'subdomains']
/** What a request has only from when somebody sets it: to find none is to read it, too. */
const SET_LATER = ['body', 'user']
/** Asked of any object by those who print it, wait for it or send it. */
const NOT_INPUTS: readonly PropertyKey[] = ['then', 'toJSON', 'constructor']

/**
 * Notes what of a request is read from now on. The request itself stays the same object; what is read from it are stand-ins for
 * its parts.
 *
 * @returns Undoes it.
 */
export function trackInputs(req: BlazonRequest, config: TrackConfig): () => void {
  // Parts are made of the URL, and of each other, by code that is nobody's.
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
      // No body is nobody's.
      for (const name of value === undefined ? [] : names) onRead(part, name)
      return value
    }
  // Express looks at what a proxy says in any case, and forgets it where none is trusted.
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

/** Puts a reader before a field, whether it is the request's own or its prototype's. */
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
  // What stands there already, on the request itself or on its prototype, goes on doing what it does.
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

/** `req.validated` has the same parts once more, but for cookies and the user. */
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

/** Methods of a class may need the object itself for what is private in it. What is frozen has to stay what it is. */
function boundTo(target: object, name: PropertyKey, method: CallableFunction): unknown {
  const own = Object.getOwnPropertyDescriptor(target, name)
  return own?.configurable === false ? method : method.bind(target as never)
}
