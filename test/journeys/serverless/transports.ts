import type { App } from 'blazon'
import inject from 'light-my-request'
import { send } from '../express/support.js'
import { ADAPTERS, type Answered, type Asked, EVENTS } from './events.js'

/** A response as its client receives it. */
export interface Received {
  readonly status: number
  /** By name in lower case. The cookies are a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer
}

/** An application that can be reached on every way. */
export interface Reachable extends Pick<App, 'handler' | 'fetch'> {
  readonly port: number
}

/** Sends a request to an application on one way. */
export type Transport = (app: Reachable, asked: Asked) => Promise<Received>

/** Headers of one connection, or of one moment. */
const OF_CONNECTION = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])

export const overSocket: Transport = async ({ port }, { query, ...asked }) => {
  const path = `${asked.path}${query === undefined ? '' : `?${query}`}`
  const headers = { host: 'shop.example', ...lengthOf(asked), ...asked.headers }
  const answer = await send(port, { ...asked, path, headers })
  return { ...answer, headers: headersOf(Object.entries(answer.headers)) }
}

/** All ways but a connection of the network. */
export const TRANSPORTS: Readonly<Record<string, Transport>> = {
  async 'app.fetch'(app, { path, query = '', method = 'GET', headers = {}, body = null }) {
    const url = `http://shop.example${path}?${query}`
    const response = await app.fetch(new Request(url, { method, headers, body }))
    const { 'set-cookie': _, ...rest } = Object.fromEntries(response.headers)
    const cookies = response.headers.getSetCookie()
    return {
      status: response.status,
      headers: headersOf(Object.entries({ ...rest, ...(cookies[0] && { 'set-cookie': cookies }) })),
      body: Buffer.from(await response.arrayBuffer()),
    }
  },
  ...Object.fromEntries(Object.entries(ADAPTERS).map(([name, adapt]) => [name, through(adapt)])),
  async 'light-my-request'({ handler }, { path = '/', query = '', body, ...asked }) {
    const { statusCode, headers, rawPayload } = await inject(handler, {
      ...(asked as { method?: 'GET' }),
      url: `http://shop.example${path}?${query}`,
      headers: { host: 'shop.example', ...asked.headers },
      ...(body === undefined ? {} : { payload: body }),
    })
    return { status: statusCode, headers: headersOf(Object.entries(headers)), body: rawPayload }
  },
}

function through(adapt: (typeof ADAPTERS)[string]): Transport {
  return async ({ handler }, asked) => {
    const answer = await adapt(handler)(EVENTS['version 2.0']?.(asked) ?? {}, {})
    const { statusCode, headers = {}, cookies = [], body, isBase64Encoded } = answer as Answered
    const all = cookies.length === 0 ? headers : { ...headers, 'set-cookie': cookies }
    return {
      status: statusCode,
      headers: headersOf(Object.entries(all)),
      body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
    }
  }
}

function lengthOf({ body }: Asked) {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
}

function headersOf(entries: readonly (readonly [string, unknown])[]): Received['headers'] {
  const kept = entries
    .filter(([name, value]) => value !== undefined && !OF_CONNECTION.has(name.toLowerCase()))
    .map(([name, value]) => [name.toLowerCase(), textOf(value)] as const)
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function textOf(value: unknown): string | readonly string[] {
  return Array.isArray(value) ? value.map(String) : String(value)
}
