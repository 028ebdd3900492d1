import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { signTestToken } from 'blazon/jwt'
import { TestApp } from 'blazon/testing'
import { it } from 'vitest'
import { options } from '../src/app.js'
import { Env } from '../src/env.js'
import { withStores } from '../src/stores.js'
import { AUDIENCE } from '../src/token-guard.js'

/** The beginnings of the paths of routes with tenant data. The verdict of these routes must be PASS. */
const PATHS = ['/notes']
const TOKEN_SECRET = randomBytes(32).toString('hex')

it('no operation returns data of one tenant to another tenant', async () => {
  await using app = await TestApp.create({
    ...withStores(options, { DATABASE_FOLDER: 'memory' }),
    // The test sends more requests than the rate limit allows.
    rateLimit: false,
    testOverrides: [{ token: Env, useValue: Env.read({ TOKEN_SECRET }) }],
  })
  /** A client with the token of a tenant, which also sends the ID of the tenant. */
  const clientOf = (tenant: string) => {
    const claims = { aud: AUDIENCE, sub: 'ada', tenant, permissions: ['notes:write'] }
    const token = signTestToken(claims, TOKEN_SECRET, { clock: app.clock })
    return app.with({ authorization: `Bearer ${token}` }).asTenant(tenant)
  }
  const report = await app.proveIsolation({
    seed: 1,
    tenants: { acme: clientOf('acme'), zeta: clientOf('zeta') },
  })
  assert.deepEqual(report.leaks, [])
  // Other operations may be INCONCLUSIVE: `evidence` contains the reason.
  const missed = report.verdicts.filter(
    ({ operation, verdict }) =>
      verdict !== 'PASS' && PATHS.some((path) => operation.includes(` ${path}`)),
  )
  assert.deepEqual(missed, [])
})
