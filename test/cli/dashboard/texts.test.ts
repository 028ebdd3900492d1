import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript-5'
import { describe, expect, it, onTestFinished } from 'vitest'
import { copiedTestStyle } from '../../../src/cli/dev/dashboard/copied-test-style.js'
import { curlText } from '../../../src/cli/dev/dashboard/curl-text.js'
import {
  fillBody,
  fillHeaders,
  fillUrl,
  hiddenValues,
} from '../../../src/cli/dev/dashboard/hidden-values.js'
import { findSuspects } from '../../../src/cli/dev/dashboard/suspects.js'
import { testText } from '../../../src/cli/dev/dashboard/test-text.js'
import { timelineOf } from '../../../src/cli/dev/dashboard/timeline.js'
import type { ReportedRequest } from '../../../src/cli/dev/dashboard/views.js'
import { decision, LOOP, RECORD, reported, statement } from './records.js'

const ORIGIN = 'http://127.0.0.1:3000'
const EVIL = `it's $(touch /tmp/x) \`id\` "quoted" \\ ;&|\n#`

/** A request with secrets in every place, and with texts that a shell or JavaScript could take for code. */
const HARD: ReportedRequest = reported(
  { method: 'POST', url: `/orders/it's?token=[secret]&q=a%20b&key=%5Bsecret%5D` },
  {
    sent: {
      headers: [
        ['host', '127.0.0.1:3000'],
        ['authorization', 'Bearer [secret]'],
        ['x-note', "it's $HOME"],
        ['content-type', 'application/json'],
        ['content-length', '10'],
      ],
      body: JSON.stringify({ name: EVIL, card: '[secret]', deep: [{ pin: '[secret]' }] }),
      omitted: null,
    },
  },
)

/** The arguments that a shell passes to curl. */
function argumentsOf(command: string, env: Record<string, string>): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`
  return execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
}

describe('the copy as curl', () => {
  it('sends the request when a shell runs it, with secrets from its variables', () => {
    const env = { TOKEN: 't0', KEY: 'k0', AUTHORIZATION: 'a0', CARD: 'c0', PIN: 'p0' }
    expect(argumentsOf(curlText(HARD, ORIGIN), env)).toEqual([
      '-X',
      'POST',
      `${ORIGIN}/orders/it's?token=t0&q=a%20b&key=k0`,
      '-H',
      'authorization: Bearer a0',
      '-H',
      "x-note: it's $HOME",
      '-H',
      'content-type: application/json',
      '--data-raw',
      JSON.stringify({ name: EVIL, card: 'c0', deep: [{ pin: 'p0' }] }),
    ])
  })

  it('says what it lacks', () => {
    const sent = { headers: [], body: null, omitted: 'Its body is too long.' }
    expect(curlText(reported({}, { sent }), ORIGIN)).toMatch(/^# Its body is too long\.\ncurl '/)
  })
})

const ROOT = join(import.meta.dirname, '../../..')

function syntaxErrors(text: string): readonly ts.Diagnostic[] {
  return ts.transpileModule(text, { reportDiagnostics: true }).diagnostics ?? []
}

describe('the copy as test', () => {
  it('is a program, whose texts are those of the request', () => {
    const text = testText(HARD)
    expect(syntaxErrors(text)).toEqual([])
    expect(text).toContain(`.post('/orders/it\\'s?token=[secret]`)
    expect(text).toContain(`.set('x-note', 'it\\'s $HOME')`)
    const [, body = ''] = /\.send\(([\s\S]*?)\)\n {2}expect/.exec(text) ?? []
    expect(new Function(`return ${body}`)()).toEqual(JSON.parse(HARD.sent.body ?? ''))
    expect(text).toContain('expect(response.status).toBe(200)')
    expect(text).toContain("Replace each '[secret]'")
  })

  it('acts as the user that was let in, for its tenant, and sends no credential', () => {
    const admitted = decision({ by: 'can', facts: { abilities: ['orders:write', "it's"] } })
    const [bearer] = HARD.sent.headers.filter(([name]) => name === 'authorization')
    const sent = { headers: bearer === undefined ? [] : [bearer], body: null, omitted: null }
    const text = testText(reported({ decisions: [admitted] }, { sent }))
    expect(syntaxErrors(text)).toEqual([])
    expect(text).toContain(
      `app\n    .as({ id: 'ada', permissions: ['orders:write', 'it\\'s'] })\n    .asTenant('acme')\n    .request()`,
    )
    expect(text).not.toContain('[secret]')
    const refused = testText(reported({ user: null, status: 401 }, { sent }))
    expect(refused).toContain(".set('authorization', 'Bearer [secret]')")
    expect(refused).not.toContain('.as({')
    expect(refused).toContain('or act as a user')
  })

  it('finds the application from where templates have their tests', () => {
    expect(testText(HARD)).toContain("from '../src/app.js'")
  })

  it('makes the application as the tests of the project do', () => {
    const project = mkdtempSync(join(tmpdir(), 'blazon-copied-'))
    onTestFinished(() => rmSync(project, { recursive: true }))
    cpSync(join(ROOT, 'templates/saas'), project, { recursive: true })
    writeFileSync(join(project, 'package.json'), '{ "devDependencies": { "vitest": "^4" } }')
    const style = copiedTestStyle(project)
    const text = testText(HARD, style)
    expect(syntaxErrors(text)).toEqual([])
    expect(text).toContain("import { options } from '../src/app.js'")
    expect(text).toContain("import { withStores } from '../src/stores.js'")
    expect(text).toMatch(/TestApp\.create\(\{\n {4}\.\.\.withStores\(options, /)
    expect(text).toContain("const TOKEN_SECRET = randomBytes(32).toString('hex')")
    expect(text).not.toContain('as your other tests do')
  })

  it('is one of node:test in a project without vitest', () => {
    const text = testText(HARD, { setup: null, runner: 'node:test' })
    expect(syntaxErrors(text)).toEqual([])
    expect(text).toContain("import { it } from 'node:test'")
    expect(text).toContain('assert.equal(response.status, 200)')
    expect(text).not.toContain('vitest')
  })

  it('needs no project', () => {
    expect(copiedTestStyle(tmpdir())).toBeUndefined()
  })
})

describe('hidden values', () => {
  it('are found in query, headers and body', () => {
    expect(hiddenValues(HARD).map(({ key }) => key)).toEqual([
      'query token',
      'query key',
      'header authorization',
      'body card',
      'body deep.0.pin',
    ])
  })

  it('are filled in, and stay away or hidden without a value', () => {
    const { record, sent } = HARD
    const values = { 'query token': 'a&b', 'body deep.0.pin': '12' }
    expect(fillUrl(record.url, values)).toBe(`/orders/it's?token=a%26b&q=a%20b&key=%5Bsecret%5D`)
    expect(JSON.parse(fillBody(sent.body ?? '', values))).toEqual({
      name: EVIL,
      card: '[secret]',
      deep: [{ pin: '12' }],
    })
    const names = fillHeaders(sent.headers, {}).map(([name]) => name)
    expect(names).not.toContain('authorization')
    expect(fillHeaders(sent.headers, { 'header authorization': 'Bearer x' })).toContainEqual([
      'authorization',
      'Bearer x',
    ])
  })
})

describe('suspects of N+1', () => {
  it('are statements that ran four times or more', () => {
    expect(findSuspects(LOOP)).toMatchObject([{ count: 5, places: ['src/lines.ts:9:3'] }])
    expect(findSuspects(LOOP.slice(0, 3))).toEqual([])
  })

  it('are no statements of transactions, and no different ones', () => {
    const control = LOOP.map((each) => ({ ...each, text: 'begin' }))
    const batch = [1, 2, 3, 4, 5].map((i) => statement({ text: `select ${i}` }))
    expect(findSuspects([...control, ...batch])).toEqual([])
  })
})

describe('the time line', () => {
  it('has steps, decisions, statements and log lines in the order of time', () => {
    const timeline = timelineOf({
      ...RECORD,
      decisions: [decision({ at: 1.2 })],
      statements: [statement({ at: 2 })],
      logs: [{ at: 1.9, level: 'warn', message: 'slow' }],
    })
    expect(timeline.map(({ kind, title, tone }) => `${kind} ${title} ${tone}`)).toEqual([
      'step guard plain',
      'decision guard: admitted good',
      'step validate plain',
      'step handler plain',
      'log warn warn',
      'statement postgresql plain',
      'end 200 good',
    ])
  })

  it('marks a statement of another tenant, and one that failed', () => {
    const statements = [statement({ tenant: 'borealis' }), statement({ at: 3, error: 'deadlock' })]
    const shown = timelineOf({ ...RECORD, steps: [], statements })
    expect(shown.map(({ tone }) => tone)).toEqual(['warn', 'bad', 'good'])
    expect(shown[0]?.details).toContain('The tenant is not that of the request.')
  })

  it('shows issues and schemes in few words', () => {
    const issues = [{ in: 'body', path: 'name', message: 'Too short', code: 'too_small' }]
    const schemes = [{ scheme: 'bearer', verdict: 'refused', reason: 'expired token' }]
    const decisions = [
      decision({ by: 'validation', verdict: 'refused', facts: { issues } }),
      decision({ facts: { schemes } }),
    ]
    const shown = timelineOf({ ...RECORD, steps: [], decisions })
    expect(shown[0]?.details).toEqual(['body.name: Too short'])
    expect(shown[1]?.details).toEqual(['bearer: refused: expired token'])
  })
})
