import assert from 'node:assert/strict'
import { TestApp } from 'blazon/testing'
import { it } from 'vitest'
import { options } from '../src/app.js'
import { Env } from '../src/env.js'
import { withStores } from '../src/stores.js'

/** The beginnings of paths whose routes have data of a tenant: these must pass. */
const PATHS = ['/notes']
const API_TOKENS = 'token-of-acme-0001:acme,token-of-zeta-0002:zeta'

it('no operation shows data of one tenant to another', async () => {
  await using app = await TestApp.create({
    ...withStores(options, { DATABASE_FOLDER: 'memory' }),
    // More requests are sent than a client may send.
    rateLimit: false,
    testOverrides: [{ token: Env, useValue: Env.read({ API_TOKENS }) }],
  })
  const report = await app.proveIsolation({
    seed: 1,
    tenants: {
      acme: app.withAuth('token-of-acme-0001').asTenant('acme'),
      zeta: app.withAuth('token-of-zeta-0002').asTenant('zeta'),
    },
  })
  assert.deepEqual(report.leaks, [])
  // The others may be INCONCLUSIVE: `evidence` says why.
  const missed = report.verdicts.filter(
    ({ operation, verdict }) =>
      verdict !== 'PASS' && PATHS.some((path) => operation.includes(` ${path}`)),
  )
  assert.deepEqual(missed, [])
})
