import { ownHeaders } from './curl-text.js'
import { HIDDEN } from './hidden-values.js'
import type { ReportedRequest } from './views.js'

/** A test that sends the request to `TestApp`, and expects the same status. Secrets are left for the author to fill in. */
export function testText(request: ReportedRequest): string {
  const { record, sent } = request
  const { method, url, status } = record
  const headers = ownHeaders(request).filter(([name]) => !/^(?:accept|content-type)$/i.test(name))
  const type = sent.headers.find(([name]) => /^content-type$/i.test(name))?.[1]
  const body = bodyOf(sent.body, type)
  const lines = [
    `    .${method.toLowerCase()}(${text(url)})`,
    ...headers.map(([name, value]) => `    .set(${text(name)}, ${text(value)})`),
    ...(body === null || type === undefined ? [] : [`    .type(${text(type)})`]),
    ...(body === null ? [] : [`    .send(${body.replaceAll('\n', '\n    ')})`]),
  ]
  const hides = lines.some((line) => line.includes(HIDDEN))
  return `import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { options } from '../src/app.js'

it(${text(`${method} ${pathOf(url)} responds ${status ?? 'nothing'}`)}, async () => {
  // Make the application as your other tests do, with its plugins and the variables of tests.
  await using app = await TestApp.create(options)
${hides ? `  // Replace each '${HIDDEN}', or act as a user: app.as(user).\n` : ''}  const response = await app
    .request()
${lines.join('\n')}
  expect(response.status).toBe(${status ?? 200})
})
`
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] as string
}

/** JSON becomes an object literal, other bodies a text. */
function bodyOf(body: string | null, type: string | undefined): string | null {
  if (body === null) return null
  if (!/[/+]json\b/i.test(type ?? '')) return text(body)
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return text(body)
  }
}

/** A literal in single quotes. */
function text(value: string): string {
  const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}
