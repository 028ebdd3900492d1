import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { headersOf, tenantOf } from '../../src/cli/replay/capsule-request.js'
import { replayTest } from '../../src/cli/replay/replay-test.js'
import { runCli } from '../../src/cli/run-cli.js'
import type { Capsule } from '../../src/contracts/capsule.js'
import { decision, RECORD } from './dashboard/records.js'

const ID = '20261126-093000-a1b2c3'

const CAPSULE: Capsule = {
  format: 1,
  id: ID,
  application: 'shop',
  record: {
    ...RECORD,
    status: 500,
    error: {
      name: 'TypeError',
      status: 500,
      code: 'INTERNAL_SERVER_ERROR',
      message: 'No total\u2028\n*/ process.exit() //\u001b[2J',
      stack: null,
    },
  },
  sent: { headers: [['accept', 'application/json']], body: null, omitted: null },
  principal: {
    id: 'ada',
    born: { $date: '1970-01-01T00:00:00.000Z' },
    "it's": { $undefined: true },
  },
  statements: [
    {
      system: 'postgresql',
      text: "select * from orders where id = $1 and kind = 'a'",
      values: [{ $bigint: '7' }],
      rowCount: 1,
      rows: [{ id: 7, total: null, raw: { $bytes: 'Ynl0ZXM=' }, at: { $object: { $date: 'x' } } }],
      error: null,
    },
    {
      system: 'postgresql',
      text: 'delete from orders',
      values: [],
      rowCount: null,
      rows: null,
      error: { message: 'refused', code: '23503' },
    },
  ],
  response: { status: 500, headers: {}, body: null },
  cut: [],
  hidden: [],
}

let cwd: string

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'blazon replay é-')))
  writeFileSync(join(cwd, 'package.json'), '{ "name": "shop" }')
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

function put(capsule: object | string, { id = ID, folder = '.blazon/capsules' } = {}): void {
  mkdirSync(join(cwd, folder), { recursive: true })
  const text = typeof capsule === 'string' ? capsule : JSON.stringify(capsule)
  writeFileSync(join(cwd, folder, `${id}.json`), text)
}

async function replay(...args: string[]) {
  let [stdout, stderr] = ['', '']
  const streams = {
    out(text: string) {
      stdout += text
    },
    err(text: string) {
      stderr += text
    },
    note(line: string) {
      stderr += `${line}\n`
    },
  }
  const status = await runCli(['replay', ...args], { cwd, streams })
  return { status, stdout, stderr }
}

describe('blazon replay without an id', () => {
  it('lists the capsules, the newest first, and what a client has sent does not reach the terminal', async () => {
    put(CAPSULE)
    put(
      { ...CAPSULE, record: { ...CAPSULE.record, error: null } },
      { id: '20261127-093000-a1b2c3' },
    )
    put('{', { id: '20261125-093000-a1b2c3' })
    put(CAPSULE, { id: '../outside' })
    const { status, stdout } = await replay()
    expect(status).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.split(' ', 1)[0])).toEqual([
      '20261127-093000-a1b2c3',
      ID,
      '20261125-093000-a1b2c3',
    ])
    expect(lines[1]).toMatch(/500 +GET +\/orders\/7 +TypeError: No total \*\/ process/)
    expect(lines[2]).toContain('It cannot be read')
    expect(stdout).not.toContain('\u001b')
  })

  it('says that there are none', async () => {
    expect(await replay()).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('.blazon/capsules has no capsules'),
    })
    put(CAPSULE, { folder: 'other' })
    expect((await replay('--folder', 'other')).stdout).toContain(ID)
  })
})

describe('blazon replay refuses', () => {
  it.each([
    [
      'an id that does not exist',
      CAPSULE,
      '20990101-000000-000000',
      'There is no capsule "20990101-000000-000000".',
    ],
    [
      'an id that leaves the folder',
      CAPSULE,
      '../../package',
      'There is no capsule "../../package".',
    ],
    ['a file that is no JSON', '{ "format": 1', ID, 'cannot be read.'],
    ['JSON that is no capsule', { name: 'x' }, ID, 'is no capsule.'],
    ['null', 'null', ID, 'is no capsule.'],
    ['the format of a newer version', { ...CAPSULE, format: 2 }, ID, 'has the format 2.'],
    [
      'a capsule of another application',
      { ...CAPSULE, application: 'bank' },
      ID,
      'another application: bank.',
    ],
    [
      'a request without its body',
      { ...CAPSULE, cut: ['Its body is a form with files.'] },
      ID,
      'Its body is a form with files.',
    ],
    [
      'rows that were too large',
      { ...CAPSULE, cut: ['The rows of a statement are too large: select'] },
      ID,
      '--database',
    ],
    [
      'a method that tests do not have',
      { ...CAPSULE, record: { ...CAPSULE.record, method: 'PURGE' } },
      ID,
      'Tests send no PURGE.',
    ],
  ])('%s', async (_, capsule, id, text) => {
    put(capsule)
    const { status, stderr } = await replay(id)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(text) })
  })
})

describe('the tenant of a capsule', () => {
  const sent = [
    ['host', 'acme.example'],
    ['x-tenant-id', 'acme'],
  ] as const
  const own = ['x-tenant-id', 'acme']

  it.each([
    ['credential', [], 'acme', []],
    ['jwtClaim', [], 'acme', []],
    ['header', sent, null, [own]],
    ['path', sent, null, [own]],
    ['subdomain', sent, null, [sent[0], own]],
  ])('is named as by the client: %s', (source, headers, tenant, expected) => {
    const record = { ...RECORD, decisions: [decision({ by: 'tenant', facts: { source } })] }
    const capsule = { ...CAPSULE, record, sent: { ...CAPSULE.sent, headers } }
    expect(tenantOf(capsule)).toBe(tenant)
    expect(headersOf(capsule)).toEqual(expected)
  })

  it('is none without one', () => {
    expect(tenantOf({ ...CAPSULE, record: { ...RECORD, tenant: null } })).toBeNull()
  })
})

const STYLE = {
  quote: "'",
  hasSemicolons: false,
  indent: '  ',
  lineEnd: '\n',
  extension: '.js',
} as const

const CONFIG = {
  setup: {
    properties: ['...options', "contract: 'throw'"],
    imports: { options: '../src/app.js' },
    constants: [],
  },
  style: STYLE,
  runner: 'vitest',
  usesDatabase: false,
} as const

describe('the test of a capsule', () => {
  it('has the user, the tenant, the time and the answers of the database', () => {
    const tenant = decision({ by: 'tenant', facts: { source: 'credential' } })
    const capsule = { ...CAPSULE, record: { ...CAPSULE.record, decisions: [tenant] } }
    expect(replayTest(capsule, CONFIG)).toBe(`import assert from 'node:assert/strict'
import { TestApp } from 'blazon/testing'
import { it } from 'vitest'
import { options } from '../src/app.js'

// The capsule ${ID}: GET /orders/7 was answered 500 (TypeError: No total */ process.exit() // [2J).
it('GET /orders/:id is answered without a failure of the server', async () => {
  await using app = await TestApp.create({
    ...options,
    statements: [
      {
        text: 'select * from orders where id = $1 and kind = \\'a\\'',
        values: [7n],
        rows: [
          {
            id: 7,
            total: null,
            raw: Buffer.from('Ynl0ZXM=', 'base64'),
            at: { $date: 'x' },
          },
        ],
      },
      {
        text: 'delete from orders',
        rowCount: null,
        error: { message: 'refused', code: '23503' },
      },
    ],
  })
  app.clock.set('2026-11-26T09:30:00.000Z')
  const response = await app
    .as({ id: 'ada', born: new Date('1970-01-01T00:00:00.000Z'), 'it\\'s': undefined })
    .asTenant('acme')
    .request()
    .get('/orders/7')
    .set('accept', 'application/json')
  assert.ok(response.status < 500, String(app.explain(response)))
})
`)
  })

  it('is written in the style of the project, and leaves secrets out', () => {
    const capsule: Capsule = {
      ...CAPSULE,
      principal: null,
      statements: [],
      record: { ...CAPSULE.record, method: 'POST', tenant: null, url: '/orders?token=[secret]' },
      sent: {
        headers: [
          ['authorization', 'Bearer [secret]'],
          ['content-type', 'application/json'],
          ['content-length', '20'],
        ],
        body: '{"password":"[secret]"}',
        omitted: null,
      },
    }
    const style = { ...STYLE, quote: '"', hasSemicolons: true, indent: '\t' } as const
    const text = replayTest(capsule, { ...CONFIG, style, runner: 'node:test' })
    expect(text).toContain('import { it } from "node:test";')
    expect(text).toContain(`\tconst response = await app
\t\t.request()
\t\t.post("/orders?token=[secret]")
\t\t.set("content-type", "application/json")
\t\t.send("{\\"password\\":\\"[secret]\\"}");`)
    expect(text).toContain('// What was hidden as a secret is [secret]: replace it if it matters.')
    expect(text).not.toContain('uthorization')
  })
})
