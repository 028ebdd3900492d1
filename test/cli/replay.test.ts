import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../../src/cli/run-cli.js'
import type { Capsule } from '../../src/contracts/capsule.js'
import { isTenantInHost, tenantOf } from '../../src/features/capsules/plain-value.js'
import { decision, RECORD } from './dashboard/records.js'
import { playReaders } from './played-children.js'

const ID = '20261126-093000-a1b2c3'

const CAPSULE: Capsule = {
  format: 2,
  id: ID,
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
  calls: [],
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
  it('lists the capsules, newest first, without control characters', async () => {
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

  it('reports that there are no capsules', async () => {
    expect(await replay()).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('.blazon/capsules has no capsules'),
    })
    put(CAPSULE, { folder: 'other' })
    expect((await replay('--folder', 'other')).stdout).toContain(ID)
  })
})

describe('blazon replay rejects', () => {
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
    ['a file that is not JSON', '{ "format": 1', ID, 'JSON'],
    ['JSON that is not a capsule', { name: 'x' }, ID, 'It is not a capsule'],
    ['null', 'null', ID, 'It is not a capsule'],
    ['the format of a newer version', { ...CAPSULE, format: 3 }, ID, 'it has format 3.'],
    ['the format of an older version', { ...CAPSULE, format: 1 }, ID, 'it has format 1.'],
    [
      'a request without its body',
      { ...CAPSULE, cut: ['Its body contains secrets.'] },
      ID,
      'Its body contains secrets.',
    ],
    [
      'rows that were too large',
      { ...CAPSULE, cut: ['The rows of a statement are too large: select'] },
      ID,
      '--database',
    ],
  ])('%s', async (_, capsule, id, text) => {
    put(capsule)
    const { status, stderr } = await replay(id)
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(text) })
  })
})

describe('blazon replay', () => {
  const FAILED = {
    ...{ is: 'answered', status: 500, error: CAPSULE.record.error, answeredBy: 'handler' },
    ...{ statementCount: 2, hasReachedHandler: true },
  }
  const early = { ...CAPSULE, record: { ...CAPSULE.record, steps: [] } }

  /** Runs a capsule. The test plays the process that sends the request again. */
  async function judge(capsule: Capsule, outcome: object, ...args: string[]) {
    put(capsule)
    writeFileSync(join(cwd, 'main.js'), '')
    const children = playReaders({ kind: 'replay', outcome })
    return { ...(await replay('last', ...args)), jobs: children[0]?.received }
  }

  it('prints both responses with the line of each error, and fails if the server still fails', async () => {
    const stack = `Error\n at ${cwd}/src/now.js:7:1`
    const now = { ...FAILED, error: { ...CAPSULE.record.error, message: 'Still', stack } }
    const { status, stdout, stderr, jobs } = await judge({ ...CAPSULE, hidden: ['id'] }, now)
    expect(stdout.split('\n')).toEqual([
      `GET /orders/7 (${ID})`,
      'then  500 TypeError: No total */ process.exit() // [2J',
      'now   500 TypeError: Still at src/now.js:7:1',
      '',
    ])
    expect(stderr).toContain('These secrets were replaced: id.\nThe request still fails.')
    expect([status, jobs]).toEqual([
      1,
      [
        {
          ...{ kind: 'replay', usesDatabase: false, route: CAPSULE.record.route },
          ...{ file: join(cwd, `.blazon/capsules/${ID}.json`), module: join(cwd, 'main.js') },
        },
      ],
    ])
    expect((await judge(CAPSULE, { ...FAILED, status: null, error: null })).stdout).toContain(
      'now   no response\n',
    )
  })

  it.each([
    ['the server responds in the handler', CAPSULE, {}, 0, ''],
    ['the first error came before the handler', early, { hasReachedHandler: false }, 0, ''],
    ['a step before the handler responds', CAPSULE, { hasReachedHandler: false }, 3, "'guard'"],
    ['the body was replaced', { ...CAPSULE, hidden: ['body'] }, {}, 3, 'as secrets (body)'],
    ['another value was replaced', { ...CAPSULE, hidden: ['headers'] }, {}, 0, ''],
    ['statements are left over', CAPSULE, { statementCount: 1 }, 0, 'ran 1 of the 2 statements'],
  ])('exits with the status for its result if %s', async (_, capsule, more, expected, text) => {
    const now = { ...FAILED, status: 404, error: null, answeredBy: 'guard', ...more }
    const { status, stderr } = await judge(capsule, now)
    expect([status, stderr]).toEqual([expected, expect.stringContaining(text)])
  })

  it('writes no test if the server no longer fails', async () => {
    const { status, stderr } = await judge(CAPSULE, { ...FAILED, status: 200 }, '--write')
    expect([status, stderr]).toEqual([3, expect.stringContaining('No test was written.')])
  })

  it('stops with the reason of the process, and runs cut statements only in the database', async () => {
    const facts = { status: 2, what: 'The application has no route.', remedy: 'None.' }
    const stopped = await judge(CAPSULE, { is: 'stopped', ...facts })
    expect([stopped.status, stopped.stdout]).toEqual([2, ''])
    const cut = { ...CAPSULE, cut: ['The rows of a statement are too large: select'] }
    const { status, stderr, jobs } = await judge(cut, { ...FAILED, status: 200 }, '--database')
    expect([status, jobs]).toMatchObject([0, [{ usesDatabase: true }]])
    expect(stderr).toBe('The statements ran in the database of the application.\n')
    const upgrade = { ...cut, record: { ...cut.record, cause: 'upgrade' as const } }
    expect((await judge(upgrade, FAILED, '--database')).status).toBe(2)
  })
})

describe('the tenant of a capsule', () => {
  const sent = [
    ['host', 'acme.example'],
    ['x-tenant-id', 'acme'],
  ] as const

  it.each([
    ['credential', [], 'acme', false],
    ['jwtClaim', [], 'acme', false],
    ['header', sent, null, false],
    ['path', sent, null, false],
    ['subdomain', sent, null, true],
  ])(
    'is added to the replay unless the sent request itself contains it: %s',
    (source, headers, tenant, isInHost) => {
      const record = { ...RECORD, decisions: [decision({ by: 'tenant', facts: { source } })] }
      const capsule = { ...CAPSULE, record, sent: { ...CAPSULE.sent, headers } }
      expect(tenantOf(capsule)).toBe(tenant)
      expect(isTenantInHost(capsule)).toBe(isInHost)
    },
  )

  it('is null if the request had no tenant', () => {
    expect(tenantOf({ ...CAPSULE, record: { ...RECORD, tenant: null } })).toBeNull()
  })
})
