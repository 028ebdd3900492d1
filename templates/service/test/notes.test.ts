import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { signTestToken } from 'blazon/jwt'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { options } from '../src/app.js'
import { Env } from '../src/env.js'
import { AUDIENCE } from '../src/token-guard.js'

const TOKEN_SECRET = randomBytes(32).toString('hex')
const ada = { id: 'ada', permissions: ['notes:write'] }

describe('the notes API', () => {
  let app: TestApp

  beforeEach(async () => {
    app = await TestApp.create({
      ...options,
      contract: 'throw',
      testOverrides: [{ token: Env, useValue: Env.read({ TOKEN_SECRET }) }],
    })
  })

  afterEach(() => app?.close())

  it('adds a note, and returns it alone and in the list', async () => {
    const added = await app
      .as(ada)
      .request()
      .post('/notes')
      .send({ text: ' Buy milk ' })
      .expect(201)
    assert.deepEqual(added.body.data, { id: 1, text: 'Buy milk' })
    const read = await app.request().get('/notes/1').expect(200)
    assert.deepEqual(read.body.data, added.body.data)
    const list = await app.request().get('/notes?limit=1').expect(200)
    assert.deepEqual(list.body.data, [added.body.data])
  })

  it('adds a note only with a signed token that has the permission', async () => {
    const add = (authorization: string) =>
      app.with({ authorization }).request().post('/notes').send({ text: 'x' })
    const tokenOf = (claims: object) =>
      `Bearer ${signTestToken({ aud: AUDIENCE, sub: 'ada', ...claims }, TOKEN_SECRET, { clock: app.clock })}`
    await app.request().post('/notes').send({ text: 'x' }).expect(401)
    await add('Bearer wrong').expect(401)
    await add(tokenOf({ permissions: ada.permissions, aud: 'another service' })).expect(401)
    await add(tokenOf({ permissions: [] })).expect(403)
    await add(tokenOf({ permissions: ada.permissions })).expect(201)
  })

  it('refuses invalid input, and lists all invalid fields', async () => {
    const { body } = await app.as(ada).request().post('/notes').send({}).expect(400)
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['text'],
    )
    await app.request().get('/notes?limit=0').expect(400)
    await app.request().get('/notes/one').expect(400)
  })

  it('responds with 404 if a note does not exist', async () => {
    const { body } = await app.request().get('/notes/7').expect(404)
    assert.equal(body.message, 'Note 7 does not exist')
  })
})

describe('the service', () => {
  it('reports that it is ready', async () => {
    await using app = await TestApp.create({
      ...options,
      testOverrides: [{ token: Env, useValue: Env.read({}) }],
    })
    await app.request().get('/readyz').expect(200)
  })
})
