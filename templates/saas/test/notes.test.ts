import assert from 'node:assert/strict'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { options } from '../src/app.js'
import { Env } from '../src/env.js'
import { withStores } from '../src/stores.js'

const API_TOKENS = 'token-of-acme-0001:acme,token-of-zeta-0002:zeta'

describe('notes', () => {
  let app: TestApp

  beforeEach(async () => {
    app = await TestApp.create({
      ...withStores(options, { DATABASE_FOLDER: 'memory', REDIS_URL: process.env['REDIS_URL'] }),
      contract: 'throw',
      testOverrides: [{ token: Env, useValue: Env.read({ API_TOKENS }) }],
    })
  })

  afterEach(() => app?.close())

  /** A client with the token of a tenant. */
  const clientOf = (token: string, tenant: string) =>
    app.with({ authorization: `Bearer ${token}`, 'x-tenant-id': tenant })

  it('are added, listed and read', async () => {
    const acme = clientOf('token-of-acme-0001', 'acme')
    const added = await acme.request().post('/notes').send({ text: ' Buy milk ' }).expect(201)
    assert.equal(added.body.data.text, 'Buy milk')
    const read = await acme.request().get(`/notes/${added.body.data.id}`).expect(200)
    assert.deepEqual(read.body.data, added.body.data)
    const list = await acme.request().get('/notes').expect(200)
    assert.deepEqual(list.body.data, [added.body.data])
  })

  it('of one tenant are invisible to another', async () => {
    const acme = clientOf('token-of-acme-0001', 'acme')
    const zeta = clientOf('token-of-zeta-0002', 'zeta')
    const { body } = await acme.request().post('/notes').send({ text: 'secret' }).expect(201)
    await zeta.request().get(`/notes/${body.data.id}`).expect(404)
    const list = await zeta.request().get('/notes').expect(200)
    assert.deepEqual(list.body.data, [])
  })

  it('need a token, of the tenant that is named', async () => {
    await app.request().get('/notes').expect(401)
    await clientOf('wrong', 'acme').request().get('/notes').expect(401)
    await clientOf('token-of-acme-0001', 'zeta').request().get('/notes').expect(403)
  })

  it('are refused with all errors of the input', async () => {
    const acme = clientOf('token-of-acme-0001', 'acme')
    const { body } = await acme.request().post('/notes').send({}).expect(400)
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['text'],
    )
    await acme.request().get('/notes?limit=0').expect(400)
    await acme.request().get('/notes/one').expect(400)
  })
})
