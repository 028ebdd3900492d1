import assert from 'node:assert/strict'
import { TestApp } from 'blazon/testing'
import { it } from 'vitest'
import { options } from '../src/app.js'
import { Env } from '../src/env.js'
import { withStores } from '../src/stores.js'

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
  // An operation without tenants, or whose responses hold no data, is INCONCLUSIVE: name it in `skip`.
  const others = report.verdicts.filter(({ verdict }) => verdict !== 'PASS')
  assert.deepEqual(others, [])
})
