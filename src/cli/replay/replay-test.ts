import type { Capsule, PlainValue } from '../../contracts/capsule.js'
import type { CodeStyle, TestStyle } from '../add/project-style.js'
import type { TestSetup } from '../add/test-setup.js'
import { HIDDEN } from '../dev/dashboard/hidden-values.js'
import { headersOf, tenantOf } from './capsule-request.js'
import { literal, quoted } from './literal.js'

/** How the test is written. */
export interface ReplayTestConfig {
  readonly setup: TestSetup
  readonly style: CodeStyle
  readonly runner: TestStyle['runner']
  /** Whether the database runs the statements. */
  readonly usesDatabase: boolean
}

/** A test that sends the request of a capsule, and fails as long as the server does. */
export function replayTest(capsule: Capsule, config: ReplayTestConfig): string {
  const { style, setup, runner } = config
  const end = style.hasSemicolons ? ';' : ''
  const text = (value: string) => quoted(value, style)
  const one = style.indent
  const names = Object.entries({
    ...setup.imports,
    TestApp: 'blazon/testing',
    it: runner === 'vitest' ? 'vitest' : 'node:test',
  })
  const lines = [
    `import assert from ${text('node:assert/strict')}${end}`,
    ...[...new Set(names.map(([, from]) => from))].sort(byPlace).map((from) => {
      const all = names.filter(([, each]) => each === from).map(([name]) => name)
      return `import { ${all.sort().join(', ')} } from ${text(from)}${end}`
    }),
    ...(setup.constants.length === 0 ? [] : ['', ...setup.constants]),
    '',
    `// ${oneLine(summaryOf(capsule))}`,
    `it(${text(titleOf(capsule))}, async () => {`,
    `${one}await using app = await TestApp.create({`,
    ...propertiesOf(capsule, config).map((each) => indented(`${each},`, one + one)),
    `${one}})${end}`,
    `${one}app.clock.set(${text(new Date(capsule.record.startedAt).toISOString())})${end}`,
    ...requestLines(capsule, config),
    `${one}assert.ok(response.status < 500, String(app.explain(response)))${end}`,
    `})${end}`,
    '',
  ]
  return lines.join('\n').replaceAll('\n', style.lineEnd)
}

/** Packages of Node first, own files last. */
function byPlace(a: string, b: string): number {
  const rank = (from: string) => (from.startsWith('.') ? 1 : 0)
  return rank(a) - rank(b) || (a < b ? -1 : 1)
}

function titleOf({ record: { route, method, url } }: Capsule): string {
  const what =
    route === null ? `${method} ${url.split('?', 1)[0]}` : `${route.method} ${route.path}`
  return `${what} is answered without a failure of the server`
}

function summaryOf({ id, record: { method, url, status, error } }: Capsule): string {
  const why = error === null ? '' : ` (${error.name}: ${error.message})`
  return `The capsule ${id}: ${method} ${url} was answered ${status ?? 'by nothing'}${why}.`
}

/** A comment must end where its line ends. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, ' ')
}

/** The contract is the matter of other tests: a response with an undocumented 500 would fail this one for another reason. */
function propertiesOf({ statements }: Capsule, { setup, style, usesDatabase }: ReplayTestConfig) {
  const own = setup.properties.filter((each) => !/^(?:contract|statements)\b/.test(each))
  if (usesDatabase || statements.length === 0) return own
  const list = statements.map(({ text, values, rows, rowCount, error }) => ({
    text,
    ...(values === null || (values as readonly PlainValue[]).length === 0 ? {} : { values }),
    ...(rows === null ? {} : { rows }),
    ...(rowCount === ((rows as readonly PlainValue[] | null)?.length ?? 0) ? {} : { rowCount }),
    ...(error === null ? {} : { error: { ...error } }),
  }))
  return [...own, `statements: ${literal(list as unknown as PlainValue, style)}`]
}

function requestLines(capsule: Capsule, { style }: ReplayTestConfig): string[] {
  const { record, sent, principal } = capsule
  const one = style.indent
  const two = one + one
  const text = (value: string) => quoted(value, style)
  const tenant = tenantOf(capsule)
  const calls = [
    ...(principal === null ? [] : [`.as(${literal(principal, style, two)})`]),
    ...(tenant === null ? [] : [`.asTenant(${text(tenant)})`]),
    '.request()',
    `.${record.method.toLowerCase()}(${text(record.url)})`,
    ...headersOf(capsule).map(([name, value]) => `.set(${text(name)}, ${text(value)})`),
    ...(sent.body === null ? [] : [`.send(${text(sent.body)})`]),
  ]
  const hides = calls.some((call) => call.includes(HIDDEN) || call.includes('%5Bsecret%5D'))
  return [
    ...(hides
      ? [`${one}// What was hidden as a secret is ${HIDDEN}: replace it if it matters.`]
      : []),
    `${one}const response = await app`,
    ...calls.map(
      (call, i) => `${two}${call}${i === calls.length - 1 && style.hasSemicolons ? ';' : ''}`,
    ),
  ]
}

function indented(text: string, margin: string): string {
  return text.replace(/^(?=.)/gm, margin)
}
