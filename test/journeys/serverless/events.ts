import { configure as configure4 } from '@codegenie/serverless-express'
import { configure as configure5 } from '@codegenie/serverless-express-5'
import type { App } from 'blazon'
import serverless from 'serverless-http'

/** The request of a test to a function. */
export interface Asked {
  readonly method?: string
  readonly path?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
  readonly body?: string | Buffer
}

/** The result of a function, as its platform receives it. */
export interface Answered {
  readonly statusCode: number
  readonly body: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly unknown[]>>
  readonly cookies?: readonly string[]
  readonly isBase64Encoded: boolean
}

type Call = (event: object, context: object) => Promise<Answered>
type Listener = App['handler']

/** Adapters must know the media types with bytes, because an event carries text. */
const BINARY = ['application/octet-stream']

/** The two most common adapters. */
export const ADAPTERS: Readonly<Record<string, (listener: Listener) => Call>> = {
  'serverless-http': (listener) =>
    serverless(listener as never, { binary: BINARY }) as unknown as Call,
  '@codegenie/serverless-express 4': (listener) =>
    configure4({
      app: listener as never,
      binarySettings: { contentTypes: BINARY },
    }) as unknown as Call,
  '@codegenie/serverless-express 5': (listener) =>
    configure5({
      app: listener as never,
      binarySettings: { contentTypes: BINARY },
    }) as unknown as Call,
}

/** Events of AWS: HTTP APIs and function URLs, and REST APIs. */
export const EVENTS: Readonly<Record<string, (asked: Asked) => object>> = {
  'version 2.0': ({ query = '', cookies, ...asked }) => {
    const { method, path, headers, ...body } = partsOf(asked)
    const http = { method, path, sourceIp: '9.9.9.9' }
    return {
      version: '2.0',
      rawPath: path,
      rawQueryString: query,
      headers,
      ...(cookies === undefined ? {} : { cookies }),
      requestContext: { http },
      ...body,
    }
  },
  'version 1.0': ({ query = '', cookies, ...asked }) => {
    const { method, path, headers, ...body } = partsOf(asked)
    const all = {
      ...headers,
      ...(cookies === undefined ? {} : { cookie: cookies.join('; ') }),
    }
    const list = (value: string) => [value]
    const parameters = [...new URLSearchParams(query).keys()]
    const values = (name: string) => new URLSearchParams(query).getAll(name)
    return {
      httpMethod: method,
      path,
      headers: all,
      multiValueHeaders: Object.fromEntries(
        Object.entries(all).map(([name, value]) => [name, list(value)]),
      ),
      multiValueQueryStringParameters: Object.fromEntries(
        parameters.map((name) => [name, values(name)]),
      ),
      requestContext: { identity: { sourceIp: '9.9.9.9' } },
      ...body,
    }
  },
}

function partsOf({ method = 'GET', path = '/', headers = {}, body }: Omit<Asked, 'query'>) {
  const isBase64Encoded = Buffer.isBuffer(body)
  return {
    method,
    path,
    headers: { host: 'shop.example', ...headers },
    isBase64Encoded,
    ...(body === undefined ? {} : { body: isBase64Encoded ? body.toString('base64') : body }),
  }
}

/** One header of a result, in the form of either adapter. */
export function headerOf({ headers, multiValueHeaders }: Answered, name: string): unknown {
  return headers?.[name] ?? multiValueHeaders?.[name]?.[0]
}

/** Every cookie of a result. */
export function cookiesOf({ cookies, multiValueHeaders }: Answered): readonly unknown[] {
  return cookies?.length ? cookies : (multiValueHeaders?.['set-cookie'] ?? [])
}
