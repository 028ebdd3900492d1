import type { TestStyle } from '../../add/project-style.js'
import type { TestSetup } from '../../add/test-setup.js'
import { tenantOf } from '../../replay/capsule-request.js'
import { ownHeaders } from './curl-text.js'
import { HIDDEN } from './hidden-values.js'
import type { ReportedRequest } from './views.js'

/** How the tests of a project are written. */
export interface CopiedTestStyle {
  /** How they make the application; `null` if the project does not show it. */
  readonly setup: TestSetup | null
  readonly runner: TestStyle['runner']
}

/** Where templates have the options, and a remark for everything else. */
const UNKNOWN: TestSetup = {
  properties: [
    '...options',
    '// Make the application as your other tests do, with its plugins and the variables of tests.',
  ],
  imports: { options: '../src/app.js' },
  constants: [],
}

/**
 * A test that sends the request to `TestApp`, and expects the same status. It acts as the user that the guard has let in, so
 * it needs no credential. Other secrets are left for the author to fill in.
 */
export function testText(
  request: ReportedRequest,
  { setup, runner }: CopiedTestStyle = { setup: null, runner: 'vitest' },
): string {
  const { record, sent } = request
  const { method, url, status, user } = record
  const headers = ownHeaders(request).filter(
    ([name, value]) =>
      !/^(?:accept|content-type)$/i.test(name) && (user === null || !value.includes(HIDDEN)),
  )
  const type = sent.headers.find(([name]) => /^content-type$/i.test(name))?.[1]
  const body = bodyOf(sent.body, type)
  const lines = [
    ...callerOf(request).map((call) => `    ${call}`),
    '    .request()',
    `    .${method.toLowerCase()}(${text(url)})`,
    ...headers.map(([name, value]) => `    .set(${text(name)}, ${text(value)})`),
    ...(body === null || type === undefined ? [] : [`    .type(${text(type)})`]),
    ...(body === null ? [] : [`    .send(${body.replaceAll('\n', '\n    ')})`]),
  ]
  const hides = lines.some((line) => line.includes(HIDDEN))
  const { properties, imports, constants } = setup ?? UNKNOWN
  const expected = status ?? 200
  const isVitest = runner === 'vitest'
  return `${isVitest ? '' : "import assert from 'node:assert/strict'\nimport { it } from 'node:test'\n"}${importLines(
    {
      ...imports,
      TestApp: 'blazon/testing',
      ...(isVitest ? { expect: 'vitest', it: 'vitest' } : {}),
    },
  )}
${constants.map((each) => `\n${each}\n`).join('')}
it(${text(`${method} ${pathOf(url)} responds ${status ?? 'nothing'}`)}, async () => {
  await using app = await TestApp.create({
${properties.map((each) => `    ${each.replaceAll('\n', '\n    ')}${each.startsWith('//') ? '' : ','}`).join('\n')}
  })
${remarksOf(user !== null, hides)}  const response = await app
${lines.join('\n')}
  ${isVitest ? `expect(response.status).toBe(${expected})` : `assert.equal(response.status, ${expected})`}
})
`
}

/** What the author has to complete. */
function remarksOf(hasUser: boolean, hides: boolean): string {
  const replace = `  // Replace each '${HIDDEN}'${hasUser ? '' : ', or act as a user: app.as(user)'}.\n`
  const complete = '  // Give the user what else the guard sets, if the handler needs it.\n'
  return `${hasUser ? complete : ''}${hides ? replace : ''}`
}

/** The user with the abilities that the route has asked for, and the tenant of its credential. */
function callerOf({ record, sent }: ReportedRequest): string[] {
  const { user, decisions } = record
  if (user === null) return []
  const tenant = tenantOf({ record, sent })
  const can = decisions.find(({ by, verdict }) => by === 'can' && verdict === 'admitted')
  const abilities = (can?.facts['abilities'] ?? []) as readonly string[]
  const permissions =
    abilities.length === 0 ? '' : `, permissions: [${abilities.map(text).join(', ')}]`
  return [
    `.as({ id: ${text(user)}${permissions} })`,
    ...(tenant === null ? [] : [`.asTenant(${text(tenant)})`]),
  ]
}

/** Imports, those of packages first. */
function importLines(names: Readonly<Record<string, string>>): string {
  const rank = (from: string) => `${from.startsWith('.') ? 1 : 0}${from}`
  const files = [...new Set(Object.values(names))].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  return files
    .map((from) => {
      const own = Object.keys(names).filter((name) => names[name] === from)
      return `import { ${own.sort().join(', ')} } from ${text(from)}`
    })
    .join('\n')
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
