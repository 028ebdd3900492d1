import { type Agent, type IncomingHttpHeaders, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { OpenApiOperation } from '../../contracts/openapi.js'
import { type CheckExchange, hasJsonBody, observe } from '../exchange.js'
import type { BodyType } from './body-types.js'
import { type FormValue, writeForm } from './write-form.js'

/** A request, exactly as sent. */
export interface WireRequest {
  readonly method: string
  /** The path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers that are omitted, even if the run sets them; in lower case. */
  readonly without: readonly string[]
  readonly body: string | Buffer | null
}

/** A request with one invalid, hostile or hidden part, and a description of this part. */
export interface WrongRequest {
  readonly what: string
  readonly request: WireRequest
}

type Values = Readonly<Record<string, unknown>>

/** The values of a request, before they are encoded. */
export interface RequestParts {
  readonly path: Values
  readonly query: Values
  readonly header: Values
  readonly cookie?: Values
  /** The body; `undefined` if there is none. */
  readonly body?: unknown
}

/** Encoded strings that replace parts of a request. */
export interface RawParts {
  /** The strings for parameters, by name. In the query, headers and cookies, `null` omits the parameter. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | null>>
  readonly header?: Readonly<Record<string, string | null>>
  readonly cookie?: Readonly<Record<string, string | null>>
  /** A string to append to the query. */
  readonly more?: string
  readonly body?: string | Buffer | null
  readonly type?: string
}

/** Encodes requests of one operation. */
export type WriteRequest = (parts: RequestParts, raw?: RawParts) => WireRequest

/**
 * @param name `POST /orders/{id}`
 * @param type The type of the body; `null` if there is none.
 */
export function createWriter(
  name: string,
  { parameters = [] }: OpenApiOperation,
  type: BodyType | null,
): WriteRequest {
  const [method = '', template = ''] = name.split(' ', 2)
  return function writeRequest(parts, raw = {}) {
    const path = template.replace(
      /\{([^}]+)\}/g,
      (_, key: string) => raw.path?.[key] ?? encodeText(String(parts.path[key])),
    )
    const pairs = parameters
      .filter((parameter) => parameter.in === 'query')
      .flatMap((parameter) => {
        const other = raw.query?.[parameter.name]
        if (other === null) return []
        return pairsOf(parameter.name, other ?? parts.query[parameter.name])
      })
    const query = [...pairs, ...(raw.more === undefined ? [] : [raw.more])].join('&')
    const body = raw.body === undefined ? bodyOf(parts, type) : raw.body
    const declared: Record<string, string> =
      body === null ? {} : { 'content-type': raw.type ?? type?.contentType ?? 'application/json' }
    const headers = {
      ...textsOf({ ...parts.header, ...raw.header }),
      ...cookiesOf(parts, raw),
      ...declared,
    }
    const without = Object.entries(raw.header ?? {}).flatMap(([name, value]) =>
      value === null ? [name.toLowerCase()] : [],
    )
    return { method, target: query === '' ? path : `${path}?${query}`, headers, without, body }
  }
}

/** The cookies of a request as one header. Express and its middlewares decode percent-encodings. */
function cookiesOf({ cookie }: RequestParts, raw: RawParts): Record<string, string> {
  const values = Object.entries({ ...cookie, ...raw.cookie }).filter(([, value]) => value != null)
  if (values.length === 0) return {}
  return {
    cookie: values.map(([name, value]) => `${name}=${encodeText(String(value))}`).join('; '),
  }
}

function bodyOf({ body }: RequestParts, type: BodyType | null): string | Buffer | null {
  if (body === undefined) return null
  if (type?.kind === 'upload') return writeForm(body as FormValue)
  if (type?.kind === 'text') return String(body)
  if (type?.kind !== 'form') return JSON.stringify(body)
  return Object.entries(body as Values)
    .flatMap(([name, value]) => pairsOf(name, value))
    .join('&')
}

/** Writes lists as `a=1&a=2` and objects as `a[b]=1`. */
function pairsOf(name: string, value: unknown): string[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value.flatMap((item) => pairsOf(name, item))
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => pairsOf(`${name}[${key}]`, item))
  }
  return [`${encodeText(name)}=${encodeText(String(value))}`]
}

function textsOf(values: Values): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]))
}

/** Percent-encodes everything except unreserved characters. A lone surrogate is sent as U+FFFD. */
function encodeText(text: string): string {
  const encode = (byte: number) => {
    const character = String.fromCharCode(byte)
    if (/[\w.~-]/.test(character)) return character
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return Array.from(Buffer.from(text), encode).join('')
}

/** The connection to the application. */
export interface FuzzLink {
  readonly agent: Agent
  /** The headers for every request, unless the request itself sets them. */
  readonly headers: ReadonlyMap<string, string>
  readonly checkExchange: CheckExchange
}

/** The parts of a response that are checked. */
export interface FuzzResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The body; empty unless it is JSON. */
  readonly body: string
  /** The error of the contract check; `undefined` if the response is as documented. */
  readonly violation: Error | undefined
}

/**
 * Merges the headers of the run with the headers of a request. The request's headers have priority, and names that the
 * request omits are removed.
 */
export function headersOf(
  { headers, without }: WireRequest,
  given: ReadonlyMap<string, string>,
): Record<string, string> {
  const beside = [...given].filter(([name]) => !without.includes(name))
  const merged = { ...Object.fromEntries(beside), ...headers }
  const cookies = [given.get('cookie'), headers['cookie']].filter((each) => each !== undefined)
  return cookies.length < 2 ? merged : { ...merged, cookie: cookies.join('; ') }
}

/** Sends a request unchanged; `fetch` would normalize its URL. */
export function sendRequest(request: WireRequest, link: FuzzLink): Promise<FuzzResponse> {
  const { method, target, body } = request
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const req = send({
      agent: link.agent,
      host: 'in-process',
      method,
      path: target,
      headers: { ...headersOf(request, link.headers), ...length },
    })
    let violation: Error | undefined
    observe(req, link.checkExchange, (found) => {
      violation = found
    })
    req.on('error', reject)
    req.once('response', (res) => {
      const { statusCode: status = 0 } = res
      const settle = (bytes: string) =>
        resolve({ status, headers: res.headers, body: bytes, violation })
      if (hasJsonBody(req, res)) {
        buffer(res).then((bytes) => settle(bytes.toString()), reject)
        return
      }
      // Only the head of other responses is checked, and a stream can be endless.
      res.on('error', () => {})
      res.destroy()
      settle('')
    })
    req.end(body ?? undefined)
  })
}
