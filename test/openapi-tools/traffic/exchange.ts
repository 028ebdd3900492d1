/** A request, and the status of its response. */
export interface Exchange {
  readonly name: string
  readonly method: string
  /** The path with the query. */
  readonly path: string
  readonly status: number
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The body, unless `text` or `form` is present. */
  readonly json?: unknown
  /** A body of another type than JSON. */
  readonly text?: { readonly type: string; readonly body: string }
  readonly form?: Readonly<Record<string, string | Blob | readonly Blob[]>>
  /** Whether the schemas of the operation refuse the request; then every reader of the document must. */
  readonly isRefused?: boolean
  /** Whether the response never ends: only its beginning is read. */
  readonly isEndless?: boolean
}

/** The response. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Without parameters; empty when there is no body. */
  readonly contentType: string
  /** Parsed, if it is JSON. */
  readonly body: unknown
}

/** The headers of the request of an exchange, without those of a form. */
export function headersOf({ token, headers, json, text }: Exchange): Record<string, string> {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(text === undefined ? {} : { 'content-type': text.type }),
    ...headers,
  }
}

/** Sends a request to a server. */
export async function send(
  origin: string,
  exchange: Exchange,
  more: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${origin}${exchange.path}`, {
    method: exchange.method,
    headers: { ...headersOf(exchange), ...more },
    body: bodyOf(exchange),
    redirect: 'manual',
  })
  const text = await (exchange.isEndless === true ? beginningOf(response) : response.text())
  const contentType = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    contentType: text === '' ? '' : contentType,
    body: contentType.endsWith('json') && text !== '' ? JSON.parse(text) : text,
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

function bodyOf({ json, text, form }: Exchange): string | FormData | null {
  if (form === undefined) return text?.body ?? (json === undefined ? null : JSON.stringify(json))
  const data = new FormData()
  for (const [name, value] of Object.entries(form))
    for (const part of [value].flat() as (string | Blob)[]) data.append(name, part)
  return data
}
