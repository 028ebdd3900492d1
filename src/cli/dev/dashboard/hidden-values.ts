import type { HiddenValue, ReportedRequest } from './views.js'

/** The text in place of a secret. */
export const HIDDEN = '[secret]'
/** In a URL, the brackets may be encoded. */
const IN_URL = /(?:\[|%5B)secret(?:\]|%5D)/i

/** Everything about a request that is hidden, and that a replay needs. */
export function hiddenValues({ record, sent }: ReportedRequest): HiddenValue[] {
  return [
    ...queryNames(record.url).map((name) => ({ key: `query ${name}`, label: `Query: ${name}` })),
    ...sent.headers
      .filter(([, value]) => value.includes(HIDDEN))
      .map(([name]) => ({ key: `header ${name}`, label: `Header: ${name}` })),
    ...bodyPaths(sent.body).map((path) => ({
      key: `body ${path}`,
      label: `Body: ${path}`,
    })),
  ]
}

function queryNames(url: string): string[] {
  const query = url.split('?').slice(1).join('?')
  return [
    ...new Set(
      query
        .split('&')
        .filter((pair) => IN_URL.test(pair))
        .map(nameOf),
    ),
  ]
}

/** The name of a pair of a query, as it is in the URL. */
function nameOf(pair: string): string {
  return pair.split('=', 1)[0] as string
}

/** Fills the query with values. A value that is missing stays hidden, which the application will refuse. */
export function fillUrl(url: string, values: Readonly<Record<string, string>>): string {
  const [path, ...rest] = url.split('?')
  if (rest.length === 0) return url
  const filled = rest
    .join('?')
    .split('&')
    .map((pair) => {
      const value = values[`query ${nameOf(pair)}`]
      return IN_URL.test(pair) && value !== undefined
        ? `${nameOf(pair)}=${encodeURIComponent(value)}`
        : pair
    })
  return `${path}?${filled.join('&')}`
}

/** The headers with values in place of what is hidden, without those that have no value. */
export function fillHeaders(
  headers: readonly (readonly [string, string])[],
  values: Readonly<Record<string, string>>,
): (readonly [string, string])[] {
  return headers.flatMap(([name, value]): (readonly [string, string])[] => {
    if (!value.includes(HIDDEN)) return [[name, value]]
    const given = values[`header ${name}`]
    return given === undefined || given === '' ? [] : [[name, given]]
  })
}

/** The paths of hidden values in a JSON body: `user.password`; `(text)` for a body of another kind. */
function bodyPaths(body: string | null): string[] {
  if (body === null || !body.includes(HIDDEN)) return []
  const paths: string[] = []
  const parsed = parse(body)
  if (parsed === undefined) return ['(text)']
  visit(parsed, [], (path) => {
    paths.push(path)
    return undefined
  })
  return paths
}

/** A body with values in place of what is hidden. */
export function fillBody(body: string, values: Readonly<Record<string, string>>): string {
  const parsed = parse(body)
  if (parsed === undefined) return body.replaceAll(HIDDEN, values['body (text)'] ?? HIDDEN)
  if (!body.includes(HIDDEN)) return body
  return JSON.stringify(visit(parsed, [], (path) => values[`body ${path}`]))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Copies a value, and asks for another one in each place that is hidden. */
function visit(
  value: unknown,
  path: readonly string[],
  replace: (path: string) => string | undefined,
): unknown {
  if (value === HIDDEN) return replace(path.join('.')) ?? value
  if (Array.isArray(value))
    return value.map((item, i) => visit(item, [...path, String(i)], replace))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, each]) => [name, visit(each, [...path, name], replace)]),
  )
}
