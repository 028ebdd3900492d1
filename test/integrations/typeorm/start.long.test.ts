import { afterEach, describe, expect, it, vi } from 'vitest'
import { describeWithServer, Server, SUPERUSER } from '../postgres/server.js'
import { failureOf, PASSWORD } from './start-failure.js'

describeWithServer('a PostgreSQL server with passwords', () => {
  it('refuses a wrong password, and no message contains it', async () => {
    await using server = await Server.start({ hasPasswords: true })
    const url = server.url(SUPERUSER, { password: PASSWORD })
    const { message } = await failureOf({ type: 'postgres', url })
    expect(message).toMatch(/cannot be used: 28P01, password authentication failed for user/)
  })
})

describe('boot without a package', () => {
  afterEach(() => {
    vi.doUnmock('node:module')
    vi.resetModules()
  })

  it('fails with the command that installs a missing typeorm', async () => {
    vi.resetModules()
    vi.doMock('node:module', () => ({
      createRequire: () => () => {
        throw new Error("Cannot find module 'typeorm'")
      },
    }))
    const fresh = await import('blazon/typeorm')
    expect(() => fresh.typeorm({ type: 'sqljs' })).toThrow(/E_PEER_MISSING.+npm install typeorm@1/s)
    expect(() => fresh.dataSourceOf()).toThrow(/npm install typeorm@1/)
    // A token needs no package.
    expect(String(fresh.dataSourceOf('archive'))).toBe("DataSource 'archive'")
  })
})
