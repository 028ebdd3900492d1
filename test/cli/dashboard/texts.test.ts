import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { curlText } from '../../../src/cli/dev/dashboard/copied-commands.js'
import { findSuspects } from '../../../src/cli/dev/dashboard/journal.js'
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

describe('the copy of a request as a curl command', () => {
  it('sends the request in a shell, with secrets from shell variables', () => {
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

  it('sends a binary body unchanged', () => {
    const bytes = Buffer.from([0, 255, 39, 10])
    const sent = { headers: [], body: null, base64: bytes.toString('base64'), omitted: null }
    const command = curlText(reported({ method: 'PUT' }, { sent }), ORIGIN)
    const script = `curl() { cat; }\n${command}`
    expect(execFileSync('sh', ['-c', script])).toEqual(bytes)
    expect(command).toContain('curl -X PUT ')
  })

  it('names the missing parts of the request', () => {
    const sent = { headers: [], body: null, omitted: 'Its body is too long.' }
    expect(curlText(reported({}, { sent }), ORIGIN)).toMatch(/^# Its body is too long\.\ncurl '/)
  })
})

describe('suspected repeated statements (N+1)', () => {
  it('are statements that ran four times or more', () => {
    expect(findSuspects(LOOP)).toMatchObject([{ count: 5, places: ['src/lines.ts:9:3'] }])
    expect(findSuspects(LOOP.slice(0, 3))).toEqual([])
  })

  it('do not include transaction control statements or different statements', () => {
    const control = LOOP.map((each) => ({ ...each, text: 'begin' }))
    const batch = [1, 2, 3, 4, 5].map((i) => statement({ text: `select ${i}` }))
    expect(findSuspects([...control, ...batch])).toEqual([])
  })
})

describe('the timeline of a request', () => {
  it('shows steps, decisions, statements and log lines in chronological order', () => {
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

  it('marks a statement of another tenant, and a failed statement', () => {
    const statements = [statement({ tenant: 'borealis' }), statement({ at: 3, error: 'deadlock' })]
    const shown = timelineOf({ ...RECORD, steps: [], statements })
    expect(shown.map(({ tone }) => tone)).toEqual(['warn', 'bad', 'good'])
    expect(shown[0]?.details).toContain('The tenant differs from the tenant of the request.')
  })

  it('shows the calls to other hosts', () => {
    const call = {
      method: 'POST',
      host: 'bank.example',
      path: '/charges',
      status: 201,
      at: 2,
      durationMs: 3,
      attempts: 1,
      error: null,
      place: 'src/orders.ts:41:12',
    }
    const failed = { ...call, status: null, attempts: 3, error: 'fetch failed', at: 6 }
    const shown = timelineOf({ ...RECORD, steps: [], calls: [call, failed], callCount: 2 })
    expect(shown.slice(0, 2)).toMatchObject([
      {
        kind: 'call',
        title: 'POST bank.example/charges',
        details: ['status 201', 'src/orders.ts:41:12'],
        tone: 'plain',
      },
      { details: ['sent 3 times', 'src/orders.ts:41:12', 'fetch failed'], tone: 'bad' },
    ])
  })

  it('describes validation issues and authentication schemes briefly', () => {
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
