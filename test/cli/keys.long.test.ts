import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashApiKey } from 'blazon/keys'
import { apiKeysTable } from 'blazon/postgres'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  describeWithServer,
  Folder,
  ownServerDatabase,
  type ServerDatabase,
} from '../integrations/postgres/own-database.js'
import { runInProcess } from './run-in-process.js'

let folder: string
let migrations: Folder

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'blazon-keys-'))
  migrations = new Folder({ '0001_create_api_keys.sql': apiKeysTable() })
  vi.stubEnv('DATABASE_URL', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  migrations[Symbol.dispose]()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...argv: string[]) => runInProcess(argv, folder)

describeWithServer('blazon keys with a database', () => {
  let database: ServerDatabase
  let HERE: readonly string[]
  beforeEach(async () => {
    database = await ownServerDatabase()
    HERE = ['--url', database.options.url]
  })
  afterEach(() => database[Symbol.asyncDispose]())

  it('creates a key and prints it once, lists it without its secret, and revokes it', async () => {
    await run('db', 'migrate', ...HERE, '--dir', migrations.path)
    const made = await run('keys', 'create', '--prefix', 'acme_live', '--tenant', 'acme', ...HERE)
    expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^acme_live_\w{38}\n$/) })
    const key = made.stdout.trim()
    const id = /The key (key_\S+), for the tenant acme/.exec(made.stderr)?.[1] as string
    expect(made.stderr).not.toContain(key)

    const full = [
      '--name',
      'CI\u001b[2J',
      '--permission',
      'a',
      'b',
      '--role',
      'c',
      '--expires',
      '90d',
    ]
    const json = await run('keys', 'create', '--prefix', 'acme_test', ...full, '--json', ...HERE)
    const other = JSON.parse(json.stdout)
    expect(other).toMatchObject({ tenant: null, permissions: ['a', 'b'], roles: ['c'] })
    expect(Date.parse(other.expiresAt) - Date.parse(other.createdAt)).toBeGreaterThan(
      89 * 86_400_000,
    )

    const list = await run('keys', 'list', ...HERE)
    expect(list.stderr).toBe('2 keys.\n')
    expect(list.stdout.split('\n')).toEqual([
      `${other.id}  ${other.start}…  live     -  never used  CI?[2J`,
      `${id}  ${key.slice(0, 14)}…  live     acme  never used`,
      '',
    ])
    expect(list.stdout).not.toContain(key)
    const lists = await run('keys', 'list', '--tenant', 'acme', '--json', ...HERE)
    expect(JSON.parse(lists.stdout)).toMatchObject([{ id, tenant: 'acme', revokedAt: null }])
    for (const secret of [key, hashApiKey(key)]) expect(lists.stdout).not.toContain(secret)

    const revoked = await run('keys', 'revoke', id, ...HERE)
    expect(revoked).toMatchObject({ status: 0, stdout: expect.stringContaining(`revoked  ${id}`) })
    const unknown = await run('keys', 'revoke', 'key_x', ...HERE)
    expect(unknown).toMatchObject({ status: 2, stdout: '' })
    expect(unknown.stderr).toContain('There is no key with the ID key_x.')
  })

  it('prints how to create a missing table, and prints no key', async () => {
    await run('db', 'migrate', ...HERE, '--dir', new Folder().path)
    for (const argv of [['create', '--prefix', 'a'], ['list']]) {
      const { status, stdout, stderr } = await run('keys', ...argv, ...HERE)
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toContain('blazon keys table')
    }
  })
})

const HERE = ['--embedded', 'data']

describe('blazon keys without a database', () => {
  it.each([
    [['create', ...HERE], "required option '--prefix <prefix>'"],
    [['create', '--prefix', 'a_', ...HERE], '[E_OPTION_INVALID] generateApiKey(): prefix'],
    [['create', '--prefix', 'a', '--expires', 'soon', ...HERE], '--expires soon is not a time.'],
    [['create', '--prefix', 'a', '--expires', '2027-02-31x', ...HERE], 'is not a time.'],
    [['create', '--prefix', 'a', '--expires', '2001-01-01', ...HERE], 'is in the past.'],
    [['create', '--prefix', 'a', '--tenant', '', ...HERE], 'The tenant is empty.'],
    [['create', '--prefix', 'a'], 'No database is specified'],
    [['list', ...HERE], 'does not contain a database'],
    [['revoke', ...HERE], "missing required argument 'id'"],
    [['table', '--login', ''], '[E_OPTION_INVALID] apiKeysTable(): login'],
  ])('prints an error for %j and exits with status 2', async (argv, message) => {
    const { status, stdout, stderr } = await run('keys', ...argv)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  it('prints the SQL of apiKeysTable()', async () => {
    const { status, stdout } = await run('keys', 'table', '--login', 'shop')
    expect([status, stdout]).toEqual([0, apiKeysTable({ login: 'shop' })])
  })
})
