import type { WrittenCapsule } from '../../../app/dev/dev-report.js'
import { curlCommand, type ShellText } from '../../../http/curl-command.js'
import { projectCommand } from '../../project-command.js'
import { DEFAULT_FOLDER } from '../../replay/capsule-files.js'
import type { ReportedRequest } from './views.js'

/** The placeholder for a secret. */
const HIDDEN = '[secret]'

/** Match a query parameter, and a JSON property, whose value is hidden. In a URL, the brackets can be encoded. */
const IN_URL = /([\w-]+)=((?:\[|%5B)secret(?:\]|%5D))/gi
const IN_BODY = /"([^"\\]+)"\s*:\s*"(\[secret\])(?=")/g

/**
 * Returns a shell command that sends the request again. Shell variables replace the secrets.
 *
 * @param origin The application's origin, such as `http://127.0.0.1:3000`.
 */
export function curlText(request: ReportedRequest, origin: string): string {
  const { record, sent } = request
  const { base64, omitted } = sent
  const command = curlCommand({
    method: record.method,
    url: withSecrets(origin + record.url, IN_URL),
    headers: ownHeaders(request).map(([name, value]) => {
      const at = value.indexOf(HIDDEN)
      return [name, at < 0 ? value : [value.slice(0, at), { secret: name }]]
    }),
    body: sent.body === null ? null : withSecrets(sent.body, IN_BODY),
    more: base64 === undefined ? [] : ['--data-binary @-'],
  })
  // A command argument cannot contain every byte.
  const input = base64 === undefined ? '' : `echo ${base64} | base64 -d | `
  return `${omitted === null ? '' : `# ${omitted}\n`}${input}${command}`
}

/** Headers that curl adds itself, or that belong to a single connection. */
const OF_THE_CONNECTION =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|user-agent|accept-language|te|upgrade|keep-alive|expect|origin|referer|cache-control|pragma|dnt|priority|sec-.*|upgrade-insecure-requests|x-request-id|traceparent|tracestate)$/i

/** Returns the headers that belong to the request rather than to its client or connection. */
function ownHeaders({ sent }: ReportedRequest): (readonly [string, string])[] {
  return sent.headers.filter(([name]) => !OF_THE_CONNECTION.test(name))
}

function withSecrets(text: string, pattern: RegExp): ShellText {
  const pieces: (string | { readonly secret: string })[] = []
  let end = 0
  for (const { 0: found, 1: name = '', 2: hidden = '', index } of text.matchAll(pattern)) {
    const next = index + found.length
    pieces.push(text.slice(end, next - hidden.length), { secret: name })
    end = next
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(end)]
}

/** Returns the command that replays a failed request. */
export function replayCommand({ id, folder }: WrittenCapsule): string {
  const place = folder === DEFAULT_FOLDER ? [] : ['--folder', folder]
  return projectCommand(['replay', id, ...place])
}
