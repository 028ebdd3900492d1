import { HIDDEN } from './hidden-values.js'
import type { ReportedRequest } from './views.js'

/** Headers that curl sends by itself, or that belong to one connection only. */
const OF_THE_CONNECTION =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|user-agent|accept-language|te|upgrade|keep-alive|expect|origin|referer|cache-control|pragma|dnt|priority|sec-.*|upgrade-insecure-requests|x-request-id|traceparent|tracestate)$/i

/** The headers that belong to the request, and not to its client or connection. */
export function ownHeaders({ sent }: ReportedRequest): (readonly [string, string])[] {
  return sent.headers.filter(([name]) => !OF_THE_CONNECTION.test(name))
}

/**
 * A command for a POSIX shell that sends the request again. In place of secrets, it reads variables of the shell.
 *
 * @param origin `http://127.0.0.1:3000`.
 */
export function curlText(request: ReportedRequest, origin: string): string {
  const { record, sent } = request
  const { method } = record
  const verb = method === 'GET' ? '' : method === 'HEAD' ? ' --head' : ` -X ${method}`
  const headers = ownHeaders(request).map(([name, value]) =>
    value.includes(HIDDEN)
      ? `-H ${quote(`${name}: ${prefixOf(value)}`)}"${variableOf(name)}"`
      : `-H ${quote(`${name}: ${value}`)}`,
  )
  const body = sent.body
  const parts = [
    `curl${verb} ${withVariables(origin + record.url, IN_URL)}`,
    ...headers,
    ...(body === null ? [] : [`--data-raw ${withVariables(body, IN_BODY)}`]),
  ]
  const note = sent.omitted
  return [...(note === null ? [] : [`# ${note}`]), parts.join(' \\\n  ')].join('\n')
}

/** What is in front of the secret: `Bearer `. */
function prefixOf(value: string): string {
  return value.slice(0, value.indexOf(HIDDEN))
}

/** The name of a query parameter or of a JSON property, and the hidden value behind it. */
const IN_URL = /([\w-]+)=(?:\[|%5B)secret(?:\]|%5D)/gi
const IN_BODY = /"([^"\\]+)"\s*:\s*"\[secret\]"/g

/** Quotes a text. What is hidden becomes a variable of the shell, between the quoted parts. */
function withVariables(text: string, pattern: RegExp): string {
  let [quoted, end] = ['', 0]
  for (const match of text.matchAll(pattern)) {
    const place = match.index + match[0].search(/(?:\[|%5B)secret/i)
    const length = /(?:\[|%5B)secret(?:\]|%5D)/i.exec(match[0])?.[0].length ?? 0
    quoted += `${quote(text.slice(end, place))}"${variableOf(match[1] as string)}"`
    end = place + length
  }
  const rest = text.slice(end)
  return rest === '' && quoted !== '' ? quoted : quoted + quote(rest)
}

/** `$X_API_KEY` for `x-api-key`. */
function variableOf(name: string): string {
  return `$${name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')
    .toUpperCase()}`
}

/** Between single quotes, a shell reads every character but the quote itself as it is. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
