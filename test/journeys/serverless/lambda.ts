// lambda.ts
import type { App } from 'blazon'

/** An event of an API Gateway (1.0 and 2.0) or a function URL, as far as it describes a request. */
export interface HttpEvent {
  readonly requestContext: {
    readonly http?: { readonly method: string; readonly sourceIp: string }
    readonly identity?: { readonly sourceIp: string }
  }
  readonly httpMethod?: string
  readonly path?: string
  readonly rawPath?: string
  readonly rawQueryString?: string
  readonly multiValueQueryStringParameters?: Readonly<Record<string, readonly string[]>> | null
  readonly headers?: Readonly<Record<string, string>> | null
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>> | null
  readonly cookies?: readonly string[]
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
}

const pairs = (lists: Readonly<Record<string, string | readonly string[]>>): [string, string][] =>
  Object.entries(lists).flatMap(([name, list]) =>
    [list].flat().map((value): [string, string] => [name, value]),
  )

export function lambda(app: Pick<App, 'fetch'>) {
  return async (event: HttpEvent) => {
    const { http, identity } = event.requestContext
    const headers = new Headers(pairs(event.multiValueHeaders ?? event.headers ?? {}))
    for (const cookie of event.cookies ?? []) headers.append('cookie', cookie)
    const query = new URLSearchParams(pairs(event.multiValueQueryStringParameters ?? {}))
    const path = event.rawPath ?? event.path ?? '/'
    const url = new URL(`https://${headers.get('host') ?? 'localhost'}${path}`)
    url.search = event.rawQueryString ?? String(query)
    const method = http?.method ?? event.httpMethod ?? 'GET'
    const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
    const body = bytes.length > 0 && !/^(GET|HEAD)$/.test(method) ? bytes : null
    headers.set('content-length', String(bytes.length))
    const remoteAddress = (http ?? identity)?.sourceIp
    const response = await app.fetch(new Request(url, { method, headers, body }), { remoteAddress })
    const cookies = response.headers.getSetCookie()
    response.headers.delete('set-cookie')
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      ...(http ? { cookies } : { multiValueHeaders: { 'set-cookie': cookies } }),
      body: Buffer.from(await response.arrayBuffer()).toString('base64'),
      isBase64Encoded: true,
    }
  }
}
