import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { signTestToken } from 'blazon/jwt'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { options } from '../src/app.js'
import { Env } from '../src/env.js'
import { withStores } from '../src/stores.js'
import { AUDIENCE } from '../src/token-guard.js'

const TOKEN_SECRET = randomBytes(32).toString('hex')
const permissions = ['notes:write']

describe('the notes API', () => {
  let app: TestApp
  let acme: string
  let zeta: string

  beforeAll(async () => {
    app = await TestApp.create({
      ...withStores(options, { DATABASE_FOLDER: 'memory', REDIS_URL: process.env['REDIS_URL'] }),
      contract: 'throw',
      testOverrides: [{ token: Env, useValue: Env.read({ TOKEN_SECRET }) }],
    })
  })

  afterAll(() => app?.close())

  // All tests share an application. Each test has its own tenants, so it does not see the data of other tests.
  beforeEach(() => {
    acme = randomUUID()
    zeta = randomUUID()
  })

  /** A user of a tenant, without a token. */
  const userOf = (tenant: string) => app.as({ id: 'ada', permissions }).asTenant(tenant)

  /** A client with a signed token. */
  const withToken = (claims: object) => {
    const all = { aud: AUDIENCE, sub: 'ada', tenant: acme, permissions, ...claims }
    const token = signTestToken(all, TOKEN_SECRET, { clock: app.clock })
    return app.with({ authorization: `Bearer ${token}` })
  }

  it('adds a note, and returns it alone and in the list', async () => {
    const ada = userOf(acme)
    const added = await ada.request().post('/notes').send({ text: ' Buy milk ' }).expect(201)
    assert.equal(added.body.data.text, 'Buy milk')
    const read = await ada.request().get(`/notes/${added.body.data.id}`).expect(200)
    assert.deepEqual(read.body.data, added.body.data)
    const list = await ada.request().get('/notes').expect(200)
    assert.deepEqual(list.body.data, [added.body.data])
  })

  it('adds a note only once, even if the client sends it again', async () => {
    const ada = userOf(acme)
    const add = () => ada.request().post('/notes').set('idempotency-key', 'one').send({ text: 'a' })
    const [first, second] = [await add().expect(201), await add().expect(201)]
    assert.deepEqual(second.body, first.body)
    const list = await ada.request().get('/notes').expect(200)
    assert.equal(list.body.data.length, 1)
  })

  it('changes a note only if the client has read its newest version', async () => {
    const ada = userOf(acme)
    const { body } = await ada.request().post('/notes').send({ text: 'Buy milk' }).expect(201)
    const path = `/notes/${body.data.id}`
    const { headers } = await ada.request().get(path).expect(200)
    const change = () => ada.request().put(path).set('if-match', String(headers['etag']))
    const changed = await change().send({ text: 'Buy tea' }).expect(200)
    assert.equal(changed.body.data.text, 'Buy tea')
    await change().send({ text: 'Buy rum' }).expect(412)
    await ada.request().put(path).send({ text: 'Buy gin' }).expect(428)
  })

  it('does not return a note to another tenant', async () => {
    const ada = userOf(acme)
    const eve = userOf(zeta)
    const { body } = await ada.request().post('/notes').send({ text: 'secret' }).expect(201)
    await eve.request().get(`/notes/${body.data.id}`).expect(404)
    const list = await eve.request().get('/notes').expect(200)
    assert.deepEqual(list.body.data, [])
  })

  it('uses the tenant of the token, and refuses a request that names another tenant', async () => {
    await withToken({}).request().post('/notes').send({ text: 'secret' }).expect(201)
    const list = await userOf(acme).request().get('/notes').expect(200)
    assert.equal(list.body.data.length, 1)
    await withToken({}).asTenant(zeta).request().get('/notes').expect(403)
    const other = await withToken({ tenant: zeta }).request().get('/notes').expect(200)
    assert.deepEqual(other.body.data, [])
  })

  it('requires a signed token for this application, and a permission to add notes', async () => {
    await app.request().get('/notes').expect(401)
    await app.with({ authorization: 'Bearer wrong' }).request().get('/notes').expect(401)
    await withToken({ aud: 'another service' }).request().get('/notes').expect(401)
    await withToken({ tenant: undefined }).request().get('/notes').expect(401)
    const reader = withToken({ permissions: [] })
    await reader.request().get('/notes').expect(200)
    await reader.request().post('/notes').send({ text: 'x' }).expect(403)
  })

  it('refuses invalid input, and lists all invalid fields', async () => {
    const ada = userOf(acme)
    const { body } = await ada.request().post('/notes').send({}).expect(400)
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['text'],
    )
    await ada.request().get('/notes?limit=0').expect(400)
    await ada.request().get('/notes/one').expect(400)
  })
})
